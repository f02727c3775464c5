// SPDX-License-Identifier: Apache-2.0
// Runs that end by a stop condition: what is said of them, and how they are gone on with.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "io/trajectory/trajectory_reader.hpp"
#include "tests/program/program.hpp"

using namespace talus;

namespace {

// A disk falls 4.9 m in a second.
const std::string scene = stone_floor("{ step = 1e-3, end = 2, save_every = 80 }") + R"(
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 8]

[[measure]]
name = "fall"
body = "ball"
quantities = ["displacement"]
every = 8
)";

// The fall of the scheme is exact: the row of step 248 has 0.3017 m.
const std::string below =
    "stop = [{ rest = 1e-9 }, { measure = \"fall.displacement_y\", below = -0.3 }]\n";
const std::string reason = "fall.displacement_y = -0.301677 is below -0.3";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run ends at a threshold, is complete, and says why") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", below + scene);
  const Outcome run = talus_program("run scene.toml -o run.h5 --json", scratch.path());
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(contains(run.err, "stopped at t = 0.248 s, " + reason + "\n"));
  CHECK(contains(run.out, "\"stopped_by\": \"" + reason + "\""));
  CHECK(contains(run.out, "\"interrupted\": false"));
  const TrajectoryReader file(scratch / "run.h5");
  CHECK(file.header().complete);
  CHECK(file.header().stopped_by == reason);
  CHECK(file.frames().back().step == 248);  // no multiple of 100
  CHECK(file.series().steps.size() == 248);
  const Outcome info = talus_program("info run.h5 --json", scratch.path());
  CHECK(contains(info.err, "  stopped   " + reason + "\n"));
  CHECK(contains(info.out, "\"stopped_by\": \"" + reason + "\""));
  const Outcome check = talus_program("check run.h5", scratch.path());
  CHECK_MESSAGE(check.code == 0, check.out);
}

TEST_CASE("a run that stopped is complete whatever end is asked for") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", below + scene);
  REQUIRE(talus_program("run scene.toml -o run.h5 --quiet", scratch.path()).code == 0);
  const std::string before = read_text(scratch / "run.h5");
  for (const std::string until : {"", "--until 1", "--until 5"}) {
    const Outcome again =
        talus_program("run scene.toml -o run.h5 --resume --quiet " + until, scratch.path());
    CHECK(again.code == 0);
    CHECK(again.err == "run.h5 is complete (" + reason + "): nothing to resume\n");
  }
  CHECK(talus_program("run scene.toml -o run.h5 --resume --until 0.1", scratch.path()).code == 2);
  CHECK(read_text(scratch / "run.h5") == before);
}

TEST_CASE("a run that reaches its end first has no stop condition to tell of") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", below + scene);
  const Outcome run = talus_program("run scene.toml -o run.h5 --json --until 0.2", scratch.path());
  REQUIRE(run.code == 0);
  CHECK(contains(run.out, "\"stopped_by\": null"));
  const Outcome on =
      talus_program("run scene.toml -o run.h5 --resume --json --until 2", scratch.path());
  REQUIRE(on.code == 0);
  CHECK(contains(on.out, "\"stopped_by\": \"" + reason + "\""));
  REQUIRE(talus_program("run scene.toml -o whole.h5 --quiet", scratch.path()).code == 0);
  const TrajectoryReader parts(scratch / "run.h5"), whole(scratch / "whole.h5");
  CHECK(parts.frames().size() == whole.frames().size());
  CHECK(parts.state(parts.frames().size() - 1).position[1] ==
        whole.state(whole.frames().size() - 1).position[1]);
}

TEST_CASE("rest is counted on from a checkpoint, and a stopped run is cut back nowhere") {
  const Scratch scratch;
  write_text(scratch / "scene.toml",
             "stop = { rest = 1e-4, during = 0.3 }\n" + scene + "\n[solver]\ntolerance = 1e-8\n");
  const std::string low = "run scene.toml --quiet --set body.ball.position=[0,0.2] -o ";
  REQUIRE(talus_program(low + "whole.h5", scratch.path()).code == 0);
  const TrajectoryReader whole(scratch / "whole.h5");
  REQUIRE(contains(whole.header().stopped_by, "at rest: no body has been faster than 0.0001 m/s"));
  CHECK(whole.series().steps.size() > 400);  // it falls 0.1 m in 0.14 s
  CHECK(whole.series().steps.size() < 500);
  for (int k = 0; k < 200 && !std::filesystem::exists(scratch / "done"); ++k) {
    const Outcome part =
        talus_program(low + "parts.h5 --resume --stop-after 0.004s", scratch.path());
    REQUIRE_MESSAGE(part.code == 0, part.err);
    if (TrajectoryReader(scratch / "parts.h5").header().complete) write_text(scratch / "done", "");
  }
  const TrajectoryReader parts(scratch / "parts.h5");
  CHECK(parts.header().stopped_by == whole.header().stopped_by);
  CHECK(parts.series().steps.size() == whole.series().steps.size());
}

TEST_CASE("a study tells by case what ended it") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", below + scene);
  write_text(scratch / "study.toml", R"(
scene = "scene.toml"
[[axis]]
key = "time.end"
values = [0.2, 1]
)");
  const Outcome batch = talus_program("batch study.toml -o cases", scratch.path());
  REQUIRE_MESSAGE(batch.code == 0, batch.err);
  CHECK(contains(batch.err, "complete (" + reason + ")"));
  const std::string summary = read_text(scratch / "cases/summary.csv");
  CHECK(contains(summary, ",status,stopped_by,steps,"));
  CHECK(contains(summary, "\n1,0.2,complete,,200,"));
  CHECK(contains(summary, "\n2,1,complete," + reason + ",248,"));
  CHECK(contains(talus_program("batch study.toml -o cases", scratch.path()).err,
                 "2 of 2 cases are complete already"));
}

TEST_CASE("a dry run says that the run may end before") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", below + scene);
  const Outcome run = talus_program("run scene.toml --dry-run", scratch.path());
  CHECK(run.code == 0);
  CHECK(contains(run.err, "; a stop condition may end it before\n"));
}
