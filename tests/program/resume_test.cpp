// SPDX-License-Identifier: Apache-2.0
// `talus run --resume`: one sensible outcome for every way of going on with a run.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "io/trajectory/trajectory_reader.hpp"
#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Balls fall on a floor; the end of 0.05 s lies between two frames.
const std::string scene = stone_floor("{ step = 1e-3, end = 0.05, save_every = 20 }") + R"(
[[grid]]
shape = { ball = 0.01 }
counts = [3, 2]
spacing = [0.0205, 0.03]
jitter = 0.0002
position = [0, 0.02]
material = "stone"

[[force]]
body = "pusher"
direction = [1, 0]
force = { file = "record.txt" }

[[body]]
name = "pusher"
shape = { ball = 0.02 }
material = "stone"
position = [-0.1, 0.02]

[[measure]]
name = "pile"
region = { box = [0.2, 0.05] }
position = [0.05, 0]
every = 3
)";

struct Study {
  Scratch scratch;

  Study() {
    write_text(scratch / "scene.toml", scene);
    write_text(scratch / "record.txt", "0 0\n1 2\n");
  }
  Outcome run(const std::string& options) const {
    return talus_program("run scene.toml --quiet --threads 1 " + options, scratch.path());
  }
  // A digest of everything in a run but what is bound to differ.
  std::string contents(const std::string& name) const {
    const std::string program = fmt::format(
        "/usr/bin/python3 -c \"import sys; sys.path.insert(0, '{}/tools/reliability'); import kit; "
        "print(sorted(kit.contents('{}').items()))\" > .contents",
        TALUS_SOURCE_DIR, (scratch / name).string());
    REQUIRE(std::system(("cd '" + scratch.path().string() + "' && " + program).c_str()) == 0);
    return read_text(scratch / ".contents");
  }
};

}  // namespace

TEST_CASE("a run of another scene is not resumed, complete or not, and what differs is said") {
  const Study study;
  REQUIRE(study.run("-o done.h5").code == 0);
  REQUIRE(study.run("-o part.h5 --stop-after 0.000001s").code == 0);
  const std::string changed = scene + "\n# a comment\n[material.sand]\ndensity = 1500\n";
  for (const std::string name : {"done.h5", "part.h5"}) {
    CAPTURE(name);
    const std::string before = read_text(study.scratch / name);
    const auto refused = [&](const std::string& options, const std::string& why) {
      const Outcome outcome = study.run("-o " + name + " --resume " + options);
      CHECK(outcome.code == 2);
      CHECK(outcome.err.ends_with(name + ": holds a run of another scene: " + why + "\n"));
      CHECK(read_text(study.scratch / name) == before);
    };
    refused("--set material.stone.friction=0.7",
            "material.stone.friction is 0.5 in the file and 0.7 now");
    write_text(study.scratch / "scene.toml", changed);
    refused("", "material.sand.density is 1500 now and not given in the file");
    write_text(study.scratch / "scene.toml", scene);
    write_text(study.scratch / "record.txt", "0 0\n1 3\n");
    refused("", "record record.txt has other contents");
    write_text(study.scratch / "record.txt", "0 0\n1 2\n");
  }
}

TEST_CASE("a comment may change between stop and resume") {
  const Study study;
  REQUIRE(study.run("-o whole.h5").code == 0);
  REQUIRE(study.run("-o part.h5 --stop-after 0.000001s").code == 0);
  write_text(study.scratch / "scene.toml", scene + "\n# a comment\n");
  REQUIRE(study.run("-o part.h5 --resume").code == 0);
  CHECK(study.contents("part.h5") == study.contents("whole.h5"));
  CHECK(study.run("-o part.h5 --resume").err == "part.h5 is complete: nothing to resume\n");
}

TEST_CASE("an end before where the run is changes nothing") {
  const Study study;
  REQUIRE(study.run("-o done.h5 --until 0.04").code == 0);
  const std::string before = read_text(study.scratch / "done.h5");
  const Outcome refused = study.run("-o done.h5 --resume --until 0.02");
  CHECK(refused.code == 2);
  CHECK(refused.err == "done.h5: has come to t = 0.04 s already, --until has to lie beyond\n");
  CHECK(study.run("-o done.h5 --resume --until 0.04").code == 0);
  CHECK(read_text(study.scratch / "done.h5") == before);

  REQUIRE(study.run("-o part.h5 --stop-after 0.000001s").code == 0);  // a step or more
  const std::string stopped = read_text(study.scratch / "part.h5");
  CHECK(study.run("-o part.h5 --resume --until 1e-9").code == 2);
  CHECK(read_text(study.scratch / "part.h5") == stopped);
  CHECK(study.run("-o part.h5 --resume").code == 0);
}

TEST_CASE("a complete run is made longer to the same last bit, and again") {
  const Study study;
  REQUIRE(study.run("-o whole.h5 --until 0.13").code == 0);
  REQUIRE(study.run("-o parts.h5").code == 0);  // to 0.05 s, which is no multiple of 20 steps
  REQUIRE(study.run("-o parts.h5 --resume --until 0.09").code == 0);
  const Outcome last = study.run("-o parts.h5 --resume --until 0.13");
  REQUIRE_MESSAGE(last.code == 0, last.err);
  CHECK(study.contents("parts.h5") == study.contents("whole.h5"));
  CHECK_FALSE(std::filesystem::exists(study.scratch / "parts.ckpt.A.h5"));
  CHECK(talus_program("info parts.h5", study.scratch.path()).out.find("(of 0.13 s)") !=
        std::string::npos);
}

TEST_CASE("without --until a run goes on to the end it had") {
  const Study study;
  REQUIRE(study.run("-o whole.h5 --until 0.1").code == 0);
  REQUIRE(study.run("-o part.h5 --until 0.1 --stop-after 0.000001s").code == 0);
  REQUIRE(study.run("-o part.h5 --resume").code == 0);
  CHECK(study.contents("part.h5") == study.contents("whole.h5"));
}

TEST_CASE("a run keeps the records of its scene, and is analysed with them") {
  const Study study;
  REQUIRE(study.run("-o run.h5").code == 0);
  std::filesystem::remove(study.scratch / "record.txt");
  const Outcome outcome = talus_program("analyze run.h5 --at 0.04", study.scratch.path());
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
}

TEST_CASE("a run with a flipped bit fails the check, and is not resumed") {
  const Study study;
  REQUIRE(study.run("-o run.h5 --until 0.03").code == 0);
  std::string bytes = read_text(study.scratch / "run.h5");
  const double last = [&] {
    const TrajectoryReader run(study.scratch / "run.h5");
    return run.state(run.frames().size() - 1).position.back()[0];
  }();
  const std::string stored(reinterpret_cast<const char*>(&last), sizeof last);
  const std::size_t at = bytes.find(stored);
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);  // by the least amount
  write_text(study.scratch / "run.h5", bytes);

  const Outcome check = talus_program("check run.h5", study.scratch.path());
  CHECK(check.code == 3);
  for (const std::string text :
       {"FAIL  stored", "/state/position differs from its checksum", "NOT CERTIFIED"})
    CHECK(check.out.find(text) != std::string::npos);
  for (const std::string options : {"", "--until 0.05"}) {
    const Outcome resumed = study.run("-o run.h5 --resume " + options);
    CHECK(resumed.code == 2);
    CHECK(
        resumed.err ==
        "run.h5: is damaged: /state/position differs from its checksum (talus check tells all)\n");
    CHECK(read_text(study.scratch / "run.h5") == bytes);
  }
}

TEST_CASE("a stopped run that has lost its checkpoints keeps its frames") {
  const Study study;
  REQUIRE(study.run("-o run.h5 --until 20 --stop-after 0.2s").code == 0);
  REQUIRE(std::filesystem::remove(study.scratch / "run.ckpt.A.h5"));
  const std::string before = read_text(study.scratch / "run.h5");
  const Outcome refused = study.run("-o run.h5 --until 20 --resume");
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "run.h5: was stopped, but its checkpoints run.ckpt.A.h5 and run.ckpt.B.h5 are missing: put "
        "one back, or begin again with --force instead of --resume\n");
  CHECK(read_text(study.scratch / "run.h5") == before);
  CHECK(talus_program("check run.h5", study.scratch.path()).code == 0);
  CHECK(study.run("-o run.h5 --until 0.05 --force").code == 0);
}

TEST_CASE("a run that ended before its first checkpoint begins again") {
  const Study study;
  REQUIRE(study.run("-o done.h5").code == 0);
  const std::string run = "'" TALUS_PROGRAM "' run scene.toml -o run.h5 --threads 1 --quiet ";
  // Killed as soon as there is a file.
  shell("( " + run + "--until 20 & until test -e run.h5; do :; done; kill -9 $! )",
        study.scratch.path());
  REQUIRE_FALSE(std::filesystem::exists(study.scratch / "run.ckpt.A.h5"));
  const Outcome again = talus_program("run scene.toml -o run.h5 --threads 1 --until 0.05 --resume",
                                      study.scratch.path());
  CHECK(again.code == 0);
  CHECK(again.err.find("run.h5: ended before its first checkpoint, begins again\n") == 0);
  CHECK(study.contents("run.h5") == study.contents("done.h5"));
}
