// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/integrity.hpp"

#include <doctest/doctest.h>

#include "io/hdf5/hdf5_data.hpp"
#include "io/text/input_error.hpp"
#include "tests/io/sample_run.hpp"
#include "tests/io/trajectory/flipped_bits.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// Changes the lowest bit of the first value, or the first letter of a text.
template <class Read, class Write>
bool change_value(hid_t type, hid_t space, Read read, Write write) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1) return false;
  if (H5Tis_variable_str(type) > 0) {
    const char* other = "another text";
    return write(type, &other) >= 0;
  }
  const hdf5::Handle native(H5Tget_native_type(type, H5T_DIR_ASCEND), "type");
  std::vector<char> values(static_cast<std::size_t>(count) * H5Tget_size(native));
  REQUIRE(read(native, values.data()) >= 0);
  values[0] = static_cast<char>(values[0] ^ 1);
  return write(native, values.data()) >= 0;
}

bool change_dataset(const std::filesystem::path& run, const std::string& path) {
  const hdf5::Handle file = hdf5::open_file(run, hdf5::Access::write);
  const hdf5::Handle data(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "open");
  const hdf5::Handle type(H5Dget_type(data), "type"), space(H5Dget_space(data), "space");
  return change_value(
      type, space,
      [&](hid_t memory, void* to) {
        return H5Dread(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
      },
      [&](hid_t memory, const void* from) {
        return H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, from);
      });
}

bool change_attribute(const std::filesystem::path& run, const std::string& path,
                      const std::string& name) {
  const hdf5::Handle file = hdf5::open_file(run, hdf5::Access::write);
  const hdf5::Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), "open");
  const hdf5::Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open");
  const hdf5::Handle type(H5Aget_type(attribute), "type"), space(H5Aget_space(attribute), "space");
  return change_value(
      type, space, [&](hid_t memory, void* to) { return H5Aread(attribute, memory, to); },
      [&](hid_t memory, const void* from) { return H5Awrite(attribute, memory, from); });
}

struct Content {
  std::vector<std::string> datasets;
  std::vector<std::pair<std::string, std::string>> attributes;  // of an object, by name
};

herr_t list_object(hid_t file, const char* name, const H5O_info_t* info, void* found) {
  auto& content = *static_cast<Content*>(found);
  const std::string path = name[0] == '.' ? "/" : "/" + std::string(name);
  if (info->type == H5O_TYPE_DATASET) content.datasets.push_back(path);
  const hdf5::Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), "open");
  for (int i = 0; i < H5Aget_num_attrs(object); ++i) {
    char text[256] = "";
    H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, static_cast<hsize_t>(i), text,
                       sizeof text, H5P_DEFAULT);
    content.attributes.emplace_back(path, text);
  }
  return 0;
}

Content content_of(const std::filesystem::path& run) {
  Content content;
  const hdf5::Handle file = hdf5::open_file(run, hdf5::Access::read);
  REQUIRE(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, list_object, &content) >= 0);
  return content;
}

std::string damage(const std::filesystem::path& run) {
  const Integrity integrity = check_integrity(run);
  return integrity.sound() ? "" : integrity.damaged.front();
}

}  // namespace

TEST_CASE("one changed value is noticed, in every table and in every attribute") {
  const Folder folder;
  const auto run = folder / "run.h5";
  write_run<3>(run, 25);
  const Content content = content_of(run);
  CHECK(content.datasets.size() > 90);
  CHECK(content.attributes.size() > 100);
  const auto noticed = [&](const auto& change) {
    std::filesystem::copy_file(run, folder / "copy.h5",
                               std::filesystem::copy_options::overwrite_existing);
    return !change(folder / "copy.h5") || !damage(folder / "copy.h5").empty();
  };
  for (const std::string& path : content.datasets) {
    CAPTURE(path);
    CHECK(noticed([&](const auto& copy) { return change_dataset(copy, path); }));
  }
  for (const auto& attribute : content.attributes) {
    const std::string &path = attribute.first, &name = attribute.second;
    if (name == "unit" && path != "/series/kinetic") continue;  // one stands for many
    CAPTURE(path);
    CAPTURE(name);
    CHECK(noticed([&](const auto& copy) { return change_attribute(copy, path, name); }));
  }
}

TEST_CASE("one flipped bit in the stored bytes of any table is noticed before a run is resumed") {
  const Folder folder;
  const auto run = folder / "run.h5";
  write_run<3>(run, 25);
  CHECK(stored_datasets(run).size() > 80);
  with_each_flipped(run, [&] { CHECK_THROWS_AS(refuse_damaged(run), InputError); });
  CHECK(damage(run) == "");
}

TEST_CASE("what is damaged is named") {
  const Folder folder;
  const auto run = folder / "run.h5";
  const auto damage_after = [&](const auto& change) {
    write_run<2>(run, 25, true);
    CHECK(damage(run).empty());
    change();
    return damage(run);
  };
  CHECK(damage_after([&] { change_dataset(run, "/state/position"); }) ==
        "/state/position differs from its checksum");
  CHECK(damage_after([&] { change_dataset(run, "/bodies/mass"); }) ==
        "/bodies differs from its checksum");
  CHECK(damage_after([&] { change_attribute(run, "/", "dim"); }) ==
        "an attribute of the file differs from its checksum");
  CHECK(damage_after([&] { change_attribute(run, "/", "complete"); }) ==
        "the state of the run differs from its checksum");
}

TEST_CASE("checksums hold at every moment of a run, and after it was resumed") {
  const Folder folder;
  const auto run = folder / "run.h5";
  const Scene<2> s = scene<2>();
  const auto check_copy = [&] {
    std::filesystem::copy_file(run, folder / "copy.h5",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(damage(folder / "copy.h5").empty());
  };
  {
    auto writer = TrajectoryWriter<2>::create(run, s, bodies_at<2>(s, 0), info(), false);
    check_copy();
    for (std::int64_t step = 0; step < 55; step += 5) {
      write_steps<2>(writer, s, step == 0 ? 0 : step + 1, step + 5);
      check_copy();
    }
    writer.flush();
    check_copy();
  }
  auto writer = TrajectoryWriter<2>::resume(run, s, 33);
  check_copy();
  write_steps<2>(writer, s, 34, 60);
  writer.close();
  CHECK(damage(run).empty());
}

TEST_CASE("groups that others add to a run do no harm; tables of the run that are lost do") {
  const Folder folder;
  const auto run = folder / "run.h5";
  write_run<2>(run, 15);
  const auto change = [&](const auto& how) { how(hdf5::open_file(run, hdf5::Access::write)); };
  change([](hid_t file) { hdf5::create_group(file, "/notes"); });
  CHECK(damage(run).empty());
  change([](hid_t file) { hdf5::remove(file, "/checksums"); });
  CHECK(damage(run) == "the checksums are missing");
  change([](hid_t file) {
    hdf5::write_attribute(file, "format_version", std::vector<std::int32_t>{1, 0});
  });
  CHECK(check_integrity(run).skipped == "an earlier version, without checksums, made the file");
}
