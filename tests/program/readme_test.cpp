// SPDX-License-Identifier: Apache-2.0
// The commands of README.md, in their order, do what they say. Scenes end early here, so that all
// of it takes seconds.
#include <doctest/doctest.h>

#include <regex>
#include <vector>

#include "tests/program/clone.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

constexpr const char* root = TALUS_SOURCE_DIR;

// Lines of code blocks that start tools/talus, without their comments.
std::vector<std::string> commands() {
  std::vector<std::string> list;
  std::istringstream readme(read_text(fs::path(root) / "README.md"));
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("    tools/talus "))
      list.push_back(std::regex_replace(line.substr(4), std::regex(" +# .*"), ""));
  return list;
}

}  // namespace

TEST_CASE("ends are found and cut") {
  CHECK(ending_early("time = { step = 1, end = 7.0 }  # friend = 8", 0.5) ==
        "time = { step = 1, end = 0.500000 }  # friend = 8");
  CHECK(ending_early("run a.toml --until 3 --set time.end=2", 0.5) ==
        "run a.toml --until 0.500000 --set time.end=0.500000");
  CHECK(ending_early("end = 0.05", 0.5) == "end = 0.05");
}

TEST_CASE("the commands of the README run in their order") {
  constexpr double latest = 0.21;  // beyond step 200 of the wall, for which one command asks
  const Scratch scratch;
  make_clone(scratch, latest);
  const std::vector<std::string> list = commands();
  CHECK(list.size() >= 20);
  for (const std::string& command : list) {
    CAPTURE(command);
    const Outcome outcome = shell("{ " + ending_early(command, latest) + "; }", scratch.path());
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
  }
  for (const char* const made :
       {"wall.h5", "wall.xmf2", "wall.vtkhdf", "series.csv", "mine.h5", "row.svg", "solved.hdf5",
        "friction/summary.csv", "friction/summary.h5", "friction/job.sh", "bound.svg", "map.svg"}) {
    CAPTURE(made);
    CHECK(fs::exists(scratch / made));
  }
}
