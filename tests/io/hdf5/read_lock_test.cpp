// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/read_lock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/hdf5/hdf5_file.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// As any program that leaves HDF5 its ways.
hdf5::Handle open_locked(const std::filesystem::path& run) {
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare");
  REQUIRE(H5Pset_file_locking(access, true, true) >= 0);
  return {H5Fopen(run.c_str(), H5F_ACC_RDONLY, access), "open", H5Fclose};
}

std::size_t frames_in_view(const Folder& folder) {
  const std::string text = content(folder / "run.xmf2");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("<Time ", at)) != std::string::npos; ++at) ++count;
  return count / 5;  // views
}

}  // namespace

TEST_CASE("as long as HDF5 has a run open for reading, its file stays as it is") {
  const Folder folder;
  const auto run = folder / "run.h5";
  const Scene<2> s = scene<2>();
  auto writer = TrajectoryWriter<2>::create(run, s, bodies_at<2>(s, 0), info(), false);
  write_steps<2>(writer, s, 0, 20);
  {
    const hdf5::Handle reader = open_locked(run);
    write_steps<2>(writer, s, 21, 50);
    CHECK(frames_in_view(folder) == 3);
    std::filesystem::copy_file(run, folder / "copy.h5");
  }
  CHECK(TrajectoryReader(folder / "copy.h5").frames().size() == 3);
  CHECK(TrajectoryReader(folder / "copy.h5").series().steps.size() == 20);
  write_steps<2>(writer, s, 51, 60);
  CHECK(TrajectoryReader(run).frames().size() == 7);
  CHECK(frames_in_view(folder) == 7);
  writer.close();
  CHECK(TrajectoryReader(run).series().steps.size() == 60);
}

TEST_CASE("a writer gives readers their time, then goes on") {
  const Folder folder;
  const auto path = folder / "file";
  std::ofstream(path) << "text";
  const int file = open(path.c_str(), O_RDWR);
  ReaderWatch patient, hurried(std::chrono::milliseconds(1));
  CHECK(patient.lock_out_readers(file, false));
  patient.let_readers_in(file);
  {
    const ReadLock reader(path);
    CHECK_FALSE(patient.lock_out_readers(file, false));
    CHECK(hurried.lock_out_readers(file, true));   // waited for in vain
    CHECK(hurried.lock_out_readers(file, false));  // and not again
  }
  CHECK(patient.lock_out_readers(file, false));
  patient.let_readers_in(file);
  CHECK(hurried.lock_out_readers(file, false));
  hurried.let_readers_in(file);
  const ReadLock reader(path);
  CHECK_FALSE(patient.lock_out_readers(file, false));
  close(file);
}
