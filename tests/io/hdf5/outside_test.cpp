// SPDX-License-Identifier: Apache-2.0
// HDF5 files that lead outside of themselves are refused before anything outside is touched.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>

#include "io/fclib/fclib.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/hdf5_outside.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

using Change = std::function<void(hid_t file)>;

void change_file(const std::filesystem::path& path, const Change& change) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  REQUIRE(file);
  change(file);
}

// A dataset of ten numbers in place of another.
void put_dataset(hid_t file, const char* name, const std::function<void(hid_t creation)>& how) {
  const hsize_t ten = 10;
  const Hdf5Handle space(H5Screate_simple(1, &ten, nullptr), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  how(creation);
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  const Hdf5Handle data(
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
  REQUIRE(data);
}

void store_outside(hid_t file, const char* name, const std::filesystem::path& outside) {
  put_dataset(file, name,
              [&](hid_t creation) { H5Pset_external(creation, outside.c_str(), 0, 80); });
}

void make_virtual(hid_t file, const char* name, const std::filesystem::path& outside) {
  put_dataset(file, name, [&](hid_t creation) {
    const hsize_t ten = 10;
    const Hdf5Handle space(H5Screate_simple(1, &ten, nullptr), H5Sclose);
    H5Pset_virtual(creation, space, outside.c_str(), "/values", space);
  });
}

void link_outside(hid_t file, const char* name, const std::filesystem::path& outside) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  H5Lcreate_external(outside.c_str(), "/values", file, name, H5P_DEFAULT, H5P_DEFAULT);
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a trajectory that leads outside of itself is refused, and what it leads to is left") {
  const Folder folder;
  const auto run = folder / "run.h5", outside = folder / "private";
  const std::string secret(80, 's');
  std::ofstream(outside) << secret;
  const std::string name = "/series/kinetic";
  const std::vector<std::pair<Change, std::string>> changes = {
      {[&](hid_t file) { store_outside(file, name.c_str(), outside); },
       "dataset " + name + " is stored in another file"},
      {[&](hid_t file) { make_virtual(file, name.c_str(), outside); },
       "dataset " + name + " is stored in another file"},
      {[&](hid_t file) { link_outside(file, name.c_str(), outside); },
       "link " + name + " leads to another file"},
      {[&](hid_t file) { link_outside(file, "/meta/note", outside); },
       "link /meta/note leads to another file"}};
  for (const auto& [change, expected] : changes) {
    write_run<3>(run, 20, true);
    change_file(run, change);
    CHECK(refusal([&] { TrajectoryReader reader(run); }) == run.string() + ": " + expected);
    CHECK(refusal([&] { TrajectoryWriter<3>::resume(run, scene<3>(), 10); }) ==
          run.string() + ": " + expected);
    CHECK(content(outside) == secret);
  }
}

TEST_CASE("an FCLib file that leads outside of itself is refused") {
  const Folder folder;
  const auto problem = folder / "problem.hdf5", outside = folder / "private";
  std::ofstream(outside) << std::string(80, 's');
  for (const bool external : {true, false}) {
    std::filesystem::copy_file(TALUS_SOURCE_DIR "/tests/fclib/OneContact-1c.hdf5", problem,
                               std::filesystem::copy_options::overwrite_existing);
    change_file(problem, [&](hid_t file) {
      (external ? store_outside : make_virtual)(file, "/fclib_local/vectors/q", outside);
    });
    CHECK(refusal([&] { read_fclib(problem); }) ==
          problem.string() + ": dataset /fclib_local/vectors/q is stored in another file");
  }
}

TEST_CASE("no plug-ins are loaded once a file was opened") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 10);
  const TrajectoryReader reader(folder / "run.h5");
  unsigned loads = 1;
  H5PLget_loading_state(&loads);
  CHECK(loads == 0);
}
