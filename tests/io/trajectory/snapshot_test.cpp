// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/snapshot.hpp"

#include <doctest/doctest.h>

#include "io/text/input_error.hpp"
#include "io/trajectory/integrity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

std::string refusal(const std::filesystem::path& run, const std::filesystem::path& copy,
                    Existing existing = Existing::keep) {
  try {
    write_snapshot(run, copy, existing);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a snapshot of a run is a run, with all frames there were") {
  const Folder folder;
  const auto run = folder / "run.h5", copy = folder / "copy.h5";
  const Scene<3> s = scene<3>();
  auto writer = TrajectoryWriter<3>::create(run, s, bodies_at<3>(s, 0), info(), false);
  for (std::int64_t step = 0; step < 30; step += 10) {
    write_steps<3>(writer, s, step == 0 ? 0 : step + 1, step + 10);
    write_snapshot(run, copy, Existing::replace);
    CHECK(check_integrity(copy).sound());
    CHECK(check_integrity(copy).tables > 80);
    CHECK(TrajectoryReader(copy).frames().size() == static_cast<std::size_t>(step) / 10 + 2);
    CHECK_FALSE(TrajectoryReader(copy).header().complete);
    CHECK(std::filesystem::exists(folder / "copy.xmf2"));
  }
  writer.close();
  CHECK(TrajectoryReader(copy).frames().size() == 4);
  write_snapshot(run, folder / "end.h5", Existing::keep);
  CHECK(content(folder / "end.h5") == content(run));
}

TEST_CASE("a snapshot replaces nothing unless asked to, and is of sound runs only") {
  const Folder folder;
  const auto run = folder / "run.h5", copy = folder / "copy.h5";
  write_run<2>(run, 15);
  std::ofstream(copy) << "something else";
  CHECK(refusal(run, copy).starts_with(copy.string() + ": exists already"));
  CHECK(content(copy) == "something else");
  CHECK(refusal(run, run, Existing::replace) == run.string() + ": is the run itself");
  CHECK(refusal(folder / "none.h5", copy, Existing::replace)
            .starts_with((folder / "none.h5").string() + ": no such file"));
  CHECK(refusal(copy, folder / "third.h5") == copy.string() + ": not an HDF5 file");

  std::string bytes = content(run);
  const double time = TrajectoryReader(run).frames().back().time();
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&time), 8));
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(run, std::ios::binary) << bytes;
  CHECK(refusal(run, copy, Existing::replace).starts_with(run.string() + ": is damaged: "));
  CHECK(content(copy) == "something else");
}
