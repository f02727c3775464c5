// SPDX-License-Identifier: Apache-2.0
// What cannot be meant on the command line is refused in one line, with exit code 2.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string scenes = TALUS_SOURCE_DIR "/scenes/";
const std::string problem = TALUS_SOURCE_DIR "/tests/fclib/Box_Stacks-i0122-82-5.hdf5";

bool one_line(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') == 1 && text.size() < 300;
}

void check_refused(const std::string& arguments, const Scratch& scratch) {
  CAPTURE(arguments);
  const Outcome outcome = talus_program(arguments, scratch.path());
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_MESSAGE(one_line(outcome.err), outcome.err);
}

}  // namespace

TEST_CASE("options that take a number take no other word") {
  const Scratch scratch;
  const std::string run = "run " + scenes + "row.toml -o run.h5 --quiet --until 1e-3";
  REQUIRE(talus_program(run, scratch.path()).code == 0);
  const std::string study = scenes + "studies/friction.toml -o study";
  const std::string numbers[] = {"run " + scenes + "row.toml -o new.h5 --until",
                                 run + " --resume --threads",
                                 run + " --resume --checkpoint-every",
                                 run + " --resume --checkpoint-interval",
                                 run + " --resume --stop-after",
                                 run + " --save-problem",
                                 "batch " + study + " --workers",
                                 "batch " + study + " --threads",
                                 "batch " + study + " --case",
                                 "batch " + study + " --stop-after",
                                 "batch " + study + " --checkpoint-every",
                                 "solve " + problem + " --tol",
                                 "solve " + problem + " --max-iter",
                                 "solve " + problem + " --time-limit",
                                 "solve " + problem + " --threads",
                                 "solve " + problem + " --repeat",
                                 "picture run.h5 --from",
                                 "picture run.h5 --to",
                                 "view run.h5 --size",
                                 "analyze run.h5 --at"};
  for (const std::string& option : numbers)
    for (const char* const word : {"nan", "inf", "-1", "1e400", "''", "x", "0x10", "'1 2'"})
      check_refused(option + " " + word, scratch);
  CHECK_FALSE(std::filesystem::exists(scratch / "new.h5"));
  CHECK_FALSE(std::filesystem::exists(scratch / "study"));

  CHECK(talus_program("run x.toml --until nan", scratch.path()).err ==
        "talus: --until: 'nan' is not a positive number (see talus --help)\n");
  CHECK(talus_program("solve x --tol 2", scratch.path()).err ==
        "talus: --tol: '2' is not a positive number up to 1 (see talus --help)\n");
  CHECK(talus_program("solve x --repeat 1.5", scratch.path()).err ==
        "talus: --repeat: '1.5' is not a whole number from 1 on (see talus --help)\n");
  CHECK(talus_program("run x.toml --threads 1025", scratch.path()).err ==
        "talus: --threads: '1025' is not a whole number from 1 to 1024 (see talus --help)\n");
}

TEST_CASE("a run takes at least one step and a number that can be counted") {
  const Scratch scratch;
  const auto message = [&](const std::string& arguments) {
    const Outcome outcome =
        talus_program("run " + scenes + "wall.toml -o run.h5 --until " + arguments, scratch.path());
    CHECK(outcome.code == 2);
    CHECK_FALSE(std::filesystem::exists(scratch / "run.h5"));
    return outcome.err;
  };
  CHECK(message("1e16") == "--until 1e+16: takes 1e+19 steps of 0.001 s, more than 1e+12\n");
  CHECK(message("1e16 --resume") ==
        "--until 1e+16: takes 1e+19 steps of 0.001 s, more than 1e+12\n");
  CHECK(message("1e300 --dry-run") ==
        "--until 1e+300: takes 1e+303 steps of 0.001 s, more than 1e+12\n");
  CHECK(message("1e-9") == "--until 1e-09: is shorter than one step of 0.001 s\n");
}

TEST_CASE("a sweep has two bounds and a count") {
  const Scratch scratch;
  const std::string analyze = "analyze " + scenes + "ladder.toml --plot bound.svg --sweep ";
  for (const char* const sweep :
       {"joint.wall.friction=0:1", "joint.wall.friction=0:nan:3", "joint.wall.friction=0:inf:3",
        "joint.wall.friction=0:1:3x", "joint.wall.friction=0:1:1e9", "joint.wall.friction=1:0:3",
        "joint.wall.friction=0:1:2.5", "=0:1:3", "0:1:3", "material.ston.friction=0:1:3"})
    check_refused(analyze + sweep, scratch);
  CHECK_FALSE(std::filesystem::exists(scratch / "bound.svg"));
}

TEST_CASE("pipes and folders are no files to read") {
  const Scratch scratch;
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(scratch / "folder");
  for (const char* const name : {"pipe", "folder"}) {
    for (const char* const command : {"info", "check", "views", "view", "picture", "export",
                                      "solve", "analyze", "run", "batch"}) {
      CAPTURE(command);
      const Outcome outcome = shell(
          std::string("timeout 20 '" TALUS_PROGRAM "' ") + command + " " + name, scratch.path());
      CHECK(outcome.code == 2);
      CHECK(outcome.err == name + std::string(": is a ") + name + ", not a file\n");
    }
    const Outcome resumed =
        shell("timeout 20 '" TALUS_PROGRAM "' run " + scenes + "row.toml --resume -o " + name,
              scratch.path());
    CHECK(resumed.code == 2);
  }
}
