// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "io/hdf5/content_digest.hpp"

namespace talus::hdf5 {

namespace {

constexpr hsize_t largest_text = 64u << 20;     // [bytes] of a string we are ready to read
constexpr hsize_t smallest_compressed = 4096;   // [bytes]
constexpr hsize_t compressed_chunk = 1u << 18;  // [bytes]

Handle scalar_space() { return {H5Screate(H5S_SCALAR), "make a scalar"}; }

Handle space_of(hsize_t rows, int columns) {
  const hsize_t extents[2] = {rows, static_cast<hsize_t>(columns)};
  return {H5Screate_simple(columns == 1 ? 1 : 2, extents, nullptr), "make a table"};
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), "make a text type");
  check(H5Tset_size(type, H5T_VARIABLE), "make a text type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
  return type;
}

Handle fixed_text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), "make a text type");
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "make a text type");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a text type");
  return type;
}

// Replaces an attribute of the same name.
Handle new_attribute(hid_t object, const std::string& name, hid_t type, hid_t space) {
  if (has_attribute(object, name)) check(H5Adelete(object, name.c_str()), "replace " + name);
  return {H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
          "create attribute " + name};
}

Handle open_dataset(hid_t file, const std::string& path) {
  const hid_t id = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
  if (id < 0) throw Failure(fmt::format("dataset {} is missing", path));
  return {id, path};
}

// Overwrites an existing attribute in place, so that nothing moves in the file.
bool write_in_place(hid_t object, const std::string& name, hid_t type, std::size_t count,
                    const void* values) {
  if (!has_attribute(object, name)) return false;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name);
  const Handle space(H5Aget_space(attribute), name);
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count)) return false;
  check(H5Awrite(attribute, type, values), "write attribute " + name);
  return true;
}

Extent extent_of(hid_t dataset, const std::string& path) {
  const Handle space(H5Dget_space(dataset), path);
  hsize_t extents[2] = {0, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank != 1 && rank != 2)
    throw Failure(fmt::format("dataset {} has rank {}, expected 1 or 2", path, rank));
  check(H5Sget_simple_extent_dims(space, extents, nullptr), path);
  return {extents[0], extents[1]};
}

void expect_columns(const Extent& present, int columns, const std::string& path) {
  if (present.columns != static_cast<hsize_t>(columns))
    throw Failure(
        fmt::format("dataset {} has {} columns, expected {}", path, present.columns, columns));
}

// A forged file may claim any number of rows. Deflate compresses by a factor of at most 1032, which
// bounds the number of values for the bytes stored. HDF5 counts these bytes chunk by chunk, which
// is slow, so this is tested only for large reads.
void refuse_absurd_size(hid_t dataset, const std::string& path, hsize_t rows, hsize_t row_bytes) {
  const double claimed = static_cast<double>(rows) * static_cast<double>(row_bytes);
  constexpr double harmless = 64 << 20;
  if (claimed <= harmless) return;
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (claimed > 1032 * static_cast<double>(stored))
    throw Failure(fmt::format("dataset {} claims {} rows but stores {} bytes", path, rows, stored));
}

std::string read_text_value(hid_t id, hid_t stored_type, const std::string& name,
                            herr_t (*read)(hid_t, hid_t, void*)) {
  if (H5Tget_class(stored_type) != H5T_STRING) throw Failure(fmt::format("{} is not a text", name));
  if (H5Tis_variable_str(stored_type) > 0) {
    const Handle type = text_type();
    check(H5Tset_cset(type, H5Tget_cset(stored_type)), name);
    char* text = nullptr;
    check(read(id, type, &text), "read " + name);
    const std::string result = text ? text : "";
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(stored_type);
  if (size > largest_text) throw Failure(fmt::format("{} is a text of {} bytes", name, size));
  std::string result(size, '\0');
  check(read(id, stored_type, result.data()), "read " + name);
  return result.substr(0, result.find('\0'));
}

herr_t read_whole_dataset(hid_t id, hid_t type, void* target) {
  return H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
}

}  // namespace

template <>
hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t native_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t native_type<std::int8_t>() {
  return H5T_NATIVE_INT8;
}
template <>
hid_t native_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}

Handle create_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          "create group " + name};
}

void hard_link(hid_t file, const std::string& existing, const std::string& path) {
  check(H5Lcreate_hard(file, existing.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        "link " + path);
}

void write_text_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Handle type = text_type(), space = scalar_space();
  const Handle attribute = new_attribute(object, name, type, space);
  const char* value = text.c_str();
  check(H5Awrite(attribute, type, &value), "write attribute " + name);
}

template <class T>
void write_attribute(hid_t object, const std::string& name, const T& value) {
  if (write_in_place(object, name, native_type<T>(), 1, &value)) return;
  const Handle space = scalar_space();
  const Handle attribute = new_attribute(object, name, native_type<T>(), space);
  check(H5Awrite(attribute, native_type<T>(), &value), "write attribute " + name);
}

template <class T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values) {
  if (write_in_place(object, name, native_type<T>(), values.size(), values.data())) return;
  const Handle space = space_of(values.size(), 1);
  const Handle attribute = new_attribute(object, name, native_type<T>(), space);
  check(H5Awrite(attribute, native_type<T>(), values.data()), "write attribute " + name);
}

void write_fixed_text_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Handle type = fixed_text_type(text.size()), space = scalar_space();
  const Handle attribute = new_attribute(object, name, type, space);
  check(H5Awrite(attribute, type, text.data()), "write attribute " + name);
}

bool has_attribute(hid_t object, const std::string& name) {
  return H5Aexists(object, name.c_str()) > 0;
}

template <class T>
std::vector<T> read_attribute(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) throw Failure(fmt::format("attribute {} is missing", name));
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name);
  const Handle space(H5Aget_space(attribute), name);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1 || count > 65536)  // attributes are limited to 64 kB
    throw Failure(fmt::format("attribute {} has {} values", name, count));
  std::vector<T> values(static_cast<std::size_t>(count));
  check(H5Aread(attribute, native_type<T>(), values.data()), "read attribute " + name);
  return values;
}

std::string read_text_attribute(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) throw Failure(fmt::format("attribute {} is missing", name));
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name);
  const Handle type(H5Aget_type(attribute), name), space(H5Aget_space(attribute), name);
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw Failure(fmt::format("attribute {} is not one text", name));
  return read_text_value(attribute, type, "attribute " + name, H5Aread);
}

template <class T>
Handle write_table(hid_t parent, const std::string& name, std::span<const T> values, int columns) {
  const hsize_t rows = values.size() / static_cast<std::size_t>(columns);
  const Handle space = space_of(rows, columns);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), "prepare " + name);
  if (values.size_bytes() >= smallest_compressed) {
    const hsize_t row_bytes = sizeof(T) * static_cast<hsize_t>(columns);
    const hsize_t chunk[2] = {std::min(rows, std::max<hsize_t>(1, compressed_chunk / row_bytes)),
                              static_cast<hsize_t>(columns)};
    check(H5Pset_chunk(creation, columns == 1 ? 1 : 2, chunk), "prepare " + name);
    check(H5Pset_shuffle(creation), "prepare " + name);
    check(H5Pset_deflate(creation, 1), "prepare " + name);
  }
  Handle dataset(
      H5Dcreate2(parent, name.c_str(), native_type<T>(), space, H5P_DEFAULT, creation, H5P_DEFAULT),
      "create " + name);
  if (rows > 0)
    check(H5Dwrite(dataset, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "write " + name);
  return dataset;
}

void write_text(hid_t parent, const std::string& name, const std::string& text) {
  const Handle type = text_type(), space = scalar_space();
  const Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "create " + name);
  const char* value = text.c_str();
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), "write " + name);
}

void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string packed(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), packed.begin() + static_cast<long>(i * length));
  const Handle type = fixed_text_type(length), space = space_of(texts.size(), 1);
  check(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), "prepare " + name);
  if (packed.size() >= smallest_compressed) {
    const hsize_t chunk = std::min<hsize_t>(texts.size(), 4096);
    check(H5Pset_chunk(creation, 1, &chunk), "prepare " + name);
    check(H5Pset_deflate(creation, 1), "prepare " + name);
  }
  const Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      "create " + name);
  if (!texts.empty())
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "write " + name);
}

template <class T>
Rows Rows::create(hid_t parent, const std::string& name, int columns, hsize_t chunk_rows,
                  const std::string& unit) {
  const int rank = columns == 1 ? 1 : 2;
  const hsize_t none[2] = {0, static_cast<hsize_t>(columns)};
  const hsize_t limit[2] = {H5S_UNLIMITED, static_cast<hsize_t>(columns)};
  const hsize_t chunk[2] = {chunk_rows, static_cast<hsize_t>(columns)};
  const Handle space(H5Screate_simple(rank, none, limit), "prepare " + name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), "prepare " + name);
  check(H5Pset_chunk(creation, rank, chunk), "prepare " + name);
  Rows rows;
  rows.path_ = name;
  rows.columns_ = static_cast<hsize_t>(columns);
  rows.chunk_rows_ = chunk_rows;
  rows.row_bytes_ = static_cast<std::size_t>(columns) * sizeof(T);
  rows.dataset_ = Handle(
      H5Dcreate2(parent, name.c_str(), native_type<T>(), space, H5P_DEFAULT, creation, H5P_DEFAULT),
      "create " + name);
  if (!unit.empty()) write_text_attribute(rows.dataset_, "unit", unit);
  return rows;
}

Rows Rows::open(hid_t file, const std::string& path, int columns) {
  Rows rows;
  rows.path_ = path;
  rows.dataset_ = open_dataset(file, path);
  const Extent present = extent_of(rows.dataset_, path);
  expect_columns(present, columns, path);
  rows.rows_ = rows.stored_ = present.rows;
  rows.columns_ = present.columns;
  const Handle type(H5Dget_type(rows.dataset_), path);
  rows.row_bytes_ = static_cast<std::size_t>(columns) * H5Tget_size(type);
  const Handle creation(H5Dget_create_plist(rows.dataset_), path);
  hsize_t chunk[2] = {0, 0};
  if (H5Pget_layout(creation) != H5D_CHUNKED || H5Pget_chunk(creation, 2, chunk) < 0)
    throw Failure(fmt::format("dataset {} cannot grow", path));
  rows.chunk_rows_ = chunk[0];
  return rows;
}

template <class T>
void Rows::append(std::span<const T> values) {
  const hsize_t count = values.size() / columns_;
  if (count == 0) return;
  running_digest().add(values);
  type_ = native_type<T>();
  const auto bytes = std::as_bytes(values);
  const char* const first = reinterpret_cast<const char*>(bytes.data());
  waiting_.insert(waiting_.end(), first, first + bytes.size());
  rows_ += count;
}

std::uint64_t Rows::growth() const {
  const auto chunks = [&](hsize_t rows) { return (rows + chunk_rows_ - 1) / chunk_rows_; };
  return (chunks(rows_) - chunks(stored_)) * chunk_rows_ * row_bytes_;
}

void Rows::store() {
  if (waiting_.empty()) return;
  const hsize_t extents[2] = {rows_, columns_};
  const hsize_t first[2] = {stored_, 0}, block[2] = {rows_ - stored_, columns_};
  const int rank = columns_ == 1 ? 1 : 2;
  check(H5Dset_extent(dataset_, extents), "extend a dataset");
  const Handle file_space(H5Dget_space(dataset_), "extend a dataset");
  const Handle memory_space(H5Screate_simple(rank, block, nullptr), "append rows");
  check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, first, nullptr, block, nullptr),
        "append rows");
  check(H5Dwrite(dataset_, type_, memory_space, file_space, H5P_DEFAULT, waiting_.data()),
        "append rows");
  stored_ = rows_;
  waiting_.clear();
}

void Rows::cut(hsize_t rows) {
  if (rows > rows_)
    throw Failure(fmt::format("dataset {} has {} rows, expected {}", path_, rows_, rows));
  assert(waiting_.empty() && "rows are stored before they are cut");
  if (rows == rows_) return;
  // HDF5 releases the rows chunk by chunk, whether they are stored or not.
  const Handle type(H5Dget_type(dataset_), path_);
  refuse_absurd_size(dataset_, path_, rows_, columns_ * H5Tget_size(type));
  const hsize_t extents[2] = {rows, columns_};
  check(H5Dset_extent(dataset_, extents), "shorten a dataset");
  rows_ = stored_ = rows;
  digest_.reset();
}

Digest& Rows::running_digest() {
  if (!digest_) add_rows(digest_.emplace(), dataset_, rows_);
  return *digest_;
}

bool exists(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return H5Oexists_by_name(file, path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> members(hid_t file, const std::string& path) {
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
  H5G_info_t content{};
  check(H5Gget_info(group, &content), path);
  std::vector<std::string> names;
  for (hsize_t i = 0; i < content.nlinks; ++i) {
    char name[1024] = "";
    check(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                             H5P_DEFAULT),
          path);
    names.emplace_back(name);
  }
  return names;
}

void remove(hid_t file, const std::string& path) {
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0)
    check(H5Ldelete(file, path.c_str(), H5P_DEFAULT), "remove " + path);
}

Extent extent(hid_t file, const std::string& path) {
  return extent_of(open_dataset(file, path), path);
}

template <class T>
std::vector<T> read_rows(hid_t file, const std::string& path, int columns, hsize_t first,
                         hsize_t count) {
  const Handle dataset = open_dataset(file, path);
  const Extent present = extent_of(dataset, path);
  const auto width = static_cast<hsize_t>(columns);
  expect_columns(present, columns, path);
  if (first > present.rows || count > present.rows - first)
    throw Failure(fmt::format("dataset {} has {} rows, expected {} from row {}", path, present.rows,
                              count, first));
  refuse_absurd_size(dataset, path, count, width * sizeof(T));
  std::vector<T> values(count * width);
  if (values.empty()) return values;
  const hsize_t start[2] = {first, 0}, block[2] = {count, width};
  const Handle file_space(H5Dget_space(dataset), path);
  const Handle memory_space(
      H5Screate_simple(H5Sget_simple_extent_ndims(file_space), block, nullptr), path);
  check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, nullptr, block, nullptr), path);
  check(H5Dread(dataset, native_type<T>(), memory_space, file_space, H5P_DEFAULT, values.data()),
        "read " + path);
  return values;
}

template <class T>
std::vector<T> read_all(hid_t file, const std::string& path, int columns) {
  return read_rows<T>(file, path, columns, 0, extent(file, path).rows);
}

std::string read_text(hid_t file, const std::string& path) {
  const Handle dataset = open_dataset(file, path);
  const Handle type(H5Dget_type(dataset), path), space(H5Dget_space(dataset), path);
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw Failure(fmt::format("dataset {} is not one text", path));
  return read_text_value(dataset, type, "dataset " + path, read_whole_dataset);
}

std::vector<std::string> read_texts(hid_t file, const std::string& path) {
  const Handle dataset = open_dataset(file, path);
  const Extent present = extent_of(dataset, path);
  const Handle type(H5Dget_type(dataset), path);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    throw Failure(fmt::format("dataset {} does not hold texts of fixed length", path));
  const std::size_t length = H5Tget_size(type);
  refuse_absurd_size(dataset, path, present.rows * present.columns, length);
  std::string packed(length * present.rows * present.columns, '\0');
  check(read_whole_dataset(dataset, type, packed.data()), "read " + path);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < packed.size(); i += length) {
    const std::string padded = packed.substr(i, length);
    texts.push_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

#define TALUS_INSTANTIATE(T)                                                                  \
  template void write_attribute<T>(hid_t, const std::string&, const T&);                      \
  template void write_attribute<T>(hid_t, const std::string&, const std::vector<T>&);         \
  template std::vector<T> read_attribute<T>(hid_t, const std::string&);                       \
  template Handle write_table<T>(hid_t, const std::string&, std::span<const T>, int);         \
  template Rows Rows::create<T>(hid_t, const std::string&, int, hsize_t, const std::string&); \
  template void Rows::append<T>(std::span<const T>);                                          \
  template std::vector<T> read_rows<T>(hid_t, const std::string&, int, hsize_t, hsize_t);     \
  template std::vector<T> read_all<T>(hid_t, const std::string&, int);
TALUS_INSTANTIATE(double)
TALUS_INSTANTIATE(float)
TALUS_INSTANTIATE(std::int64_t)
TALUS_INSTANTIATE(std::uint64_t)
TALUS_INSTANTIATE(std::int32_t)
TALUS_INSTANTIATE(std::int8_t)
TALUS_INSTANTIATE(std::uint8_t)
#undef TALUS_INSTANTIATE

}  // namespace talus::hdf5
