// SPDX-License-Identifier: Apache-2.0
// A trajectory that somebody removes or replaces while it is being written.
#include <doctest/doctest.h>

#include <fstream>

#include "io/hdf5/hdf5_file.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

// HDF5 crashes at the end of the program over files it could not close.
ssize_t files_open_in_hdf5() { return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE); }

}  // namespace

TEST_CASE("a run whose file is removed or replaced ends with one line and touches nothing else") {
  for (const std::string what : {"file", "replaced", "journal"}) {
    CAPTURE(what);
    const Folder folder;
    const std::string run = (folder / "run.h5").string();
    const Scene<3> s = scene<3>();
    auto writer = std::make_unique<TrajectoryWriter<3>>(
        TrajectoryWriter<3>::create(run, s, bodies_at<3>(s, 0), info(), false));
    write_steps<3>(*writer, s, 0, 15);
    std::filesystem::remove(what == "journal" ? run + ".journal" : run);
    if (what == "replaced") std::ofstream(run) << "another's";
    CHECK_THROWS_WITH(write_steps<3>(*writer, s, 16, 35),
                      (run + ": cannot write the frame at t = 0.02 s: "
                             "flush the file: the file or its journal was removed or replaced")
                          .c_str());
    writer.reset();
    CHECK(files_open_in_hdf5() == 0);
    if (what == "replaced")
      CHECK(content(run) == "another's");
    else
      CHECK(std::filesystem::exists(run) == (what == "journal"));
    CHECK_FALSE(std::filesystem::exists(run + ".journal"));
  }
}

TEST_CASE("a run whose file is removed before its end is written is closed all the same") {
  const Folder folder;
  const std::string run = (folder / "run.h5").string();
  const Scene<2> s = scene<2>();
  const auto removed = [&] {
    auto writer = std::make_unique<TrajectoryWriter<2>>(
        TrajectoryWriter<2>::create(run, s, bodies_at<2>(s, 0), info(), false));
    write_steps<2>(*writer, s, 0, 15);
    std::filesystem::remove(run);
    return writer;
  };
  removed().reset();
  CHECK(files_open_in_hdf5() == 0);
  auto writer = removed();
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_WITH(writer->close(),
                      (run + ": cannot write the series: "
                             "flush the file: the file or its journal was removed or replaced")
                          .c_str());
  writer.reset();
  CHECK(files_open_in_hdf5() == 0);
}
