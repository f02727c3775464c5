// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/content_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "io/hdf5/hdf5_data.hpp"

namespace talus::hdf5 {

namespace {

// An identity that all hard links to an object share.
std::string identity(hid_t object, const std::string& path) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info;
  check(H5Oget_info3(object, &info, H5O_INFO_BASIC), path);
  return {reinterpret_cast<const char*>(&info.token), sizeof info.token};
#else
  H5O_info_t info;
  check(H5Oget_info(object, &info), path);
  return fmt::format("{}", info.addr);
#endif
}

void add_type(Digest& digest, hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  digest.add_number(static_cast<std::uint64_t>(kind));
  digest.add_number(H5Tget_size(type));
  if (kind == H5T_STRING) {
    digest.add_number(static_cast<std::uint64_t>(H5Tis_variable_str(type)));
    digest.add_number(static_cast<std::uint64_t>(H5Tget_cset(type)));
    digest.add_number(static_cast<std::uint64_t>(H5Tget_strpad(type)));
  }
  if (kind == H5T_INTEGER) digest.add_number(static_cast<std::uint64_t>(H5Tget_sign(type)));
}

std::vector<hsize_t> add_extent(Digest& digest, hid_t space, const std::string& path) {
  std::vector<hsize_t> sides(H5S_MAX_RANK);
  sides.resize(static_cast<std::size_t>(
      check(H5Sget_simple_extent_dims(space, sides.data(), nullptr), path)));
  digest.add_counted(sides);
  return sides;
}

// The values of a dataset or an attribute, in the native memory format.
template <class Read>
void add_values(Digest& digest, hid_t type, hid_t space, hsize_t stored, const std::string& path,
                Read read) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count <= 0) return;
  if (H5Tis_variable_str(type) > 0) {
    if (count != 1) throw Failure(path + " is not one text");
    char* text = nullptr;
    check(read(type, &text), "read " + path);
    digest.add_counted(std::string_view(text ? text : ""));
    H5free_memory(text);
    return;
  }
  const Handle native(H5Tget_native_type(type, H5T_DIR_ASCEND), path);
  const double bytes = static_cast<double>(count) * static_cast<double>(H5Tget_size(native));
  if (bytes > 1032 * static_cast<double>(stored) + (64 << 20))  // more than deflate can unpack
    throw Failure(fmt::format("{} claims {} values but stores {} bytes", path, count, stored));
  std::vector<std::byte> values(static_cast<std::size_t>(count) * H5Tget_size(native));
  check(read(native, values.data()), "read " + path);
  digest.add(std::span<const std::byte>(values));
}

bool grows(hid_t space, const std::string& path) {
  std::vector<hsize_t> sides(H5S_MAX_RANK), most(H5S_MAX_RANK);
  const int rank = check(H5Sget_simple_extent_dims(space, sides.data(), most.data()), path);
  return rank > 0 && most[0] == H5S_UNLIMITED;
}

void add_dataset(Digest& digest, hid_t dataset, const std::string& path) {
  const Handle type(H5Dget_type(dataset), path), space(H5Dget_space(dataset), path);
  add_type(digest, type);
  if (grows(space, path)) {
    Digest extent;  // without the number of rows
    std::vector<hsize_t> sides = add_extent(extent, space, path);
    sides[0] = 0;
    digest.add_counted(sides);
    return;
  }
  add_extent(digest, space, path);
  add_values(digest, type, space, H5Dget_storage_size(dataset), path,
             [&](hid_t memory, void* target) {
               return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
             });
}

}  // namespace

void ContentWalk::add_attributes(Digest& digest, hid_t object, const std::string& path) const {
  const int count = check(H5Aget_num_attrs(object), path);
  for (int i = 0; i < count; ++i) {
    const Handle attribute(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC,
                                          static_cast<hsize_t>(i), H5P_DEFAULT, H5P_DEFAULT),
                           path);
    char text[1024] = "";
    check(H5Aget_name(attribute, sizeof text, text), path);
    const std::string name = fmt::format("{}@{}", path, text);
    if (left_out_(name)) continue;
    digest.add_counted(name);
    const Handle type(H5Aget_type(attribute), name), space(H5Aget_space(attribute), name);
    add_type(digest, type);
    add_extent(digest, space, name);
    add_values(digest, type, space, H5Aget_storage_size(attribute), name,
               [&](hid_t memory, void* target) { return H5Aread(attribute, memory, target); });
  }
}

void ContentWalk::add_group(Digest& digest, hid_t group, const std::string& path) {
  constexpr int deepest = 32;  // a damaged group may contain itself
  if (std::count(path.begin(), path.end(), '/') > deepest) throw Failure("groups nest too deep");
  add_attributes(digest, group, path);
  for (const std::string& name : members(group, ".")) {
    const std::string below = path + "/" + name;
    digest.add_counted(below);
    const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), "open " + below);
    const auto [first, is_new] = seen_.try_emplace(identity(object, below), below);
    digest.add_counted(first->second);
    if (!is_new) continue;
    const H5I_type_t kind = H5Iget_type(object);
    digest.add_number(static_cast<std::uint64_t>(kind));
    if (kind == H5I_GROUP) add_group(digest, object, below);
    if (kind != H5I_DATASET) continue;
    add_attributes(digest, object, below);
    add_dataset(digest, object, below);
  }
}

void add_rows(Digest& digest, hid_t dataset, hsize_t rows) {
  const Handle space(H5Dget_space(dataset), "read a table"),
      type(H5Dget_type(dataset), "read a table"),
      native(H5Tget_native_type(type, H5T_DIR_ASCEND), "read a table");
  std::vector<hsize_t> sides(H5S_MAX_RANK);
  const int rank = check(H5Sget_simple_extent_dims(space, sides.data(), nullptr), "read a table");
  std::size_t row_bytes = H5Tget_size(native);
  for (int i = 1; i < rank; ++i) row_bytes *= sides[static_cast<std::size_t>(i)];
  if (rank < 1 || rows > sides[0] || row_bytes == 0 || row_bytes > (1u << 24))
    throw Failure("has not the extent it should have");
  constexpr std::size_t block_bytes = 4u << 20;
  const hsize_t block = std::max<hsize_t>(1, block_bytes / row_bytes);
  std::vector<std::byte> values(std::min(block, rows) * row_bytes);
  std::vector<hsize_t> first(sides.size()), count = sides;
  for (hsize_t row = 0; row < rows; row += block) {
    first[0] = row;
    count[0] = std::min(block, rows - row);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr),
          "read a table");
    const Handle memory(H5Screate_simple(rank, count.data(), nullptr), "read a table");
    check(H5Dread(dataset, native, memory, space, H5P_DEFAULT, values.data()), "read a table");
    digest.add(std::span<const std::byte>(values.data(), count[0] * row_bytes));
  }
}

}  // namespace talus::hdf5
