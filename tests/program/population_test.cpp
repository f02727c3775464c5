// SPDX-License-Identifier: Apache-2.0
// Emitters and outlets as a user meets them.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string chute = TALUS_SOURCE_DIR "/scenes/chute.toml";

// All that a run says of itself but how long it took.
std::string tables(const std::string& run, const Scratch& scratch) {
  std::string text;
  for (const char* what : {"bodies", "contacts"})
    text += talus_program(fmt::format("export {} --what {}", run, what), scratch.path()).out;
  std::istringstream series(talus_program("export " + run, scratch.path()).out);
  for (std::string line; std::getline(series, line);)
    text += line.substr(0, line.rfind(',')) + '\n';
  return text;
}

}  // namespace

TEST_CASE("a chute killed at any moment and resumed is the chute that was never stopped") {
  const Scratch scratch;
  REQUIRE(
      talus_program(fmt::format("run {} -o whole.h5 --threads 1", chute), scratch.path()).code ==
      0);
  const std::string run =
      fmt::format("run {} -o parts.h5 --checkpoint-interval 0.05 --quiet", chute);
  for (int k = 0; k < 6; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(scratch.path().c_str()) != 0) _exit(9);
      execl(TALUS_PROGRAM, "talus", "run", chute.c_str(), "-o", "parts.h5", "--resume",
            "--checkpoint-interval", "0.05", "--threads", k % 2 ? "1" : "2", "--quiet", nullptr);
      _exit(9);
    }
    usleep(static_cast<useconds_t>(60000 + 37000 * k));
    kill(child, k % 3 == 2 ? SIGTERM : SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }
  REQUIRE(talus_program(run + " --resume --threads 2", scratch.path()).code == 0);
  CHECK(talus_program("check parts.h5", scratch.path()).code == 0);
  CHECK(tables("parts.h5", scratch) == tables("whole.h5", scratch));
}

TEST_CASE("what comes and goes is told") {
  const Scratch scratch;
  const Outcome run =
      talus_program(fmt::format("run {} -o chute.h5 --json", chute), scratch.path());
  REQUIRE(run.code == 0);
  CHECK(std::system(("/usr/bin/python3 '" TALUS_SOURCE_DIR "/tests/check_trajectory.py' '" +
                     (scratch / "chute.h5").string() + "' >&2")
                        .c_str()) == 0);
  CHECK(run.err.find("288 bodies created, ") != std::string::npos);
  CHECK(run.out.find("\"born\": 288,") != std::string::npos);
  const Outcome info = talus_program("info chute.h5", scratch.path());
  CHECK(info.out.find("288 created (") != std::string::npos);
  CHECK(talus_program("picture chute.h5 --at 1", scratch.path()).code == 0);
  const Outcome nobody = talus_program("picture chute.h5 --force --from 0", scratch.path());
  CHECK(nobody.code == 2);  // no one is there in both the first frame and the last
  CHECK(nobody.err == "no body moves: nothing to draw\n");
  const Outcome analysis = talus_program("analyze chute.h5 --at 2", scratch.path());
  CHECK(analysis.code == 0);
  CHECK(analysis.out.find(" on chute") != std::string::npos);
  CHECK(analysis.out.find("spout.") != std::string::npos);
}

TEST_CASE("an emitter inside a wall is refused with its place") {
  const Scratch scratch;
  write_text(scratch / "buried.toml", stone_floor("{ step = 1e-3, end = 1 }") + R"(
[[emitter]]
name = "well"
region = { box = [1, 1] }
position = [0, -3]
radius = 0.1
rate = 10
material = "stone"
)");
  const Outcome run = talus_program("run buried.toml", scratch.path());
  CHECK(run.code == 2);
  CHECK(run.err.find("emitter 'well': its largest grain finds no place in 'region' that is free of "
                     "fixed bodies") != std::string::npos);
  CHECK(run.err.starts_with("buried.toml:"));
  CHECK_FALSE(std::filesystem::exists(scratch / "buried.h5"));
}
