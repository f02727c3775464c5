// SPDX-License-Identifier: Apache-2.0
// `talus run --from`: a run that begins with a frame of another.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "io/trajectory/trajectory_reader.hpp"
#include "tests/program/program.hpp"

using namespace talus;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Grains fall into a box; `more` goes on with the scene.
std::string box_of_grains(int dimension, const std::string& more = "") {
  const bool plane = dimension == 2;
  return fmt::format(
      R"(
dimension = {}
gravity = {}
time = {{ step = 1e-3, end = 0.3, save_every = 50 }}
[solver]
tolerance = 1e-6
[material.stone]
density = 2500
friction = 0.5
[[container]]
name = "box"
box = {}
material = "stone"
[[grid]]
shape = {}
counts = {}
spacing = 0.022
jitter = 0.001
position = {}
material = "stone"
{})",
      dimension, plane ? "[0, -9.81]" : "[0, 0, -9.81]", plane ? "[0.1, 0.3]" : "[0.1, 0.1, 0.3]",
      plane ? "{ box = [0.018, 0.016] }" : "{ ball = 0.01 }", plane ? "[3, 4]" : "[3, 3, 3]",
      plane ? "[-0.025, 0.02]" : "[-0.025, -0.022, 0.02]", more);
}

struct Runs {
  Scratch scratch;
  Outcome run(const std::string& arguments) const {
    return talus_program("run " + arguments + " --quiet --threads 1", scratch.path());
  }
  FrameState state(const std::string& file, std::int64_t step) const {
    const TrajectoryReader reader(scratch / file);
    for (std::size_t k = 0; k < reader.frames().size(); ++k)
      if (reader.frames()[k].step == step) return reader.state(k);
    FAIL("no frame of step ", step);
    return {};
  }
  std::string check(const std::string& file) const {
    const Outcome outcome = talus_program("check " + file, scratch.path());
    return outcome.code == 0 ? "" : outcome.out + outcome.err;
  }
};

bool same(const FrameState& a, const FrameState& b) {
  bool equal = a.position.size() == b.position.size();
  for (std::size_t i = 0; equal && i < a.position.size(); ++i)
    equal = a.position[i] == b.position[i] && a.velocity[i] == b.velocity[i] &&
            a.orientation[i].coeffs() == b.orientation[i].coeffs() &&
            a.angular_velocity[i] == b.angular_velocity[i];
  return equal;
}

double largest_distance(const FrameState& a, const FrameState& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    largest = std::max(largest, (a.position[i] - b.position[i]).norm());
  return largest;
}

}  // namespace

TEST_CASE("a run from the end of itself goes on as the original does, to the last bit") {
  for (const int dimension : {2, 3}) {
    CAPTURE(dimension);
    const Runs runs;
    write_text(runs.scratch / "scene.toml", box_of_grains(dimension));
    REQUIRE(runs.run("scene.toml -o whole.h5 --until 0.5").code == 0);
    REQUIRE(runs.run("scene.toml -o bed.h5").code == 0);
    const Outcome on = runs.run("scene.toml -o on.h5 --until 0.2 --from bed.h5");
    REQUIRE_MESSAGE(on.code == 0, on.err);
    CHECK(same(runs.state("on.h5", 0), runs.state("bed.h5", 300)));
    CHECK(same(runs.state("on.h5", 50), runs.state("whole.h5", 350)));
    CHECK(same(runs.state("on.h5", 200), runs.state("whole.h5", 500)));
    CHECK(runs.check("on.h5") == "");
  }
}

TEST_CASE("a run from a frame on the way goes on as the original does, to rounding") {
  for (const int dimension : {2, 3}) {
    CAPTURE(dimension);
    const Runs runs;
    write_text(runs.scratch / "scene.toml", box_of_grains(dimension));
    REQUIRE(runs.run("scene.toml -o bed.h5").code == 0);
    const Outcome on = runs.run("scene.toml -o on.h5 --until 0.05 --from bed.h5@0.25");
    REQUIRE_MESSAGE(on.code == 0, on.err);
    CHECK(largest_distance(runs.state("on.h5", 0), runs.state("bed.h5", 250)) == 0);
    // As far apart as two answers within the tolerance.
    CHECK(largest_distance(runs.state("on.h5", 50), runs.state("bed.h5", 300)) < 1e-6);
    CHECK(runs.check("on.h5") == "");
  }
}

TEST_CASE("a run from another is stopped and resumed to the same bits, without that other run") {
  const Runs runs;
  write_text(runs.scratch / "scene.toml", box_of_grains(2, R"(
[[body]]
name = "paddle"
shape = { box = [0.02, 0.004] }
material = "stone"
position = [0, 0.2]
drive = [{ angle = { table = [[0, 0], [1, 3]] } }, { direction = [0, -1], position = { table = [[0, 0], [1, 0.1]] } }]
)"));
  REQUIRE(runs.run("scene.toml -o bed.h5").code == 0);
  REQUIRE(runs.run("scene.toml -o whole.h5 --until 0.2 --from bed.h5@0.3").code == 0);
  CHECK(runs.check("whole.h5") == "");
  REQUIRE(runs.run("scene.toml -o parts.h5 --until 0.2 --from bed.h5@0.3 --stop-after 0.000001s")
              .code == 0);
  std::filesystem::remove(runs.scratch / "bed.h5");
  const Outcome refused = runs.run("scene.toml -o parts.h5 --resume");
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "from.run is \"bed.h5@0.3\" in the file and not given now"));
  const Outcome resumed = runs.run("scene.toml -o parts.h5 --resume --from bed.h5@0.3");
  REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
  CHECK(same(runs.state("parts.h5", 200), runs.state("whole.h5", 200)));
  CHECK(runs.check("parts.h5") == "");
}

TEST_CASE("a second stage has other materials, another lid and no wall") {
  const Runs runs;
  write_text(runs.scratch / "bed.toml", box_of_grains(3));
  std::string second = box_of_grains(3, R"(
[[body]]
name = "lid"
shape = { box = [0.09, 0.09, 0.02] }
material = "stone"
position = [0, 0, 0.2]
[from]
run = "bed.h5@0.3"
drop = "box.right"
add = ["lid"]
)");
  second.replace(second.find("density = 2500"), 14, "density = 1000");
  second.replace(second.find("material = \"stone\"\n[[grid]]"), 0, "open = [\"top\", \"right\"]\n");
  write_text(runs.scratch / "second.toml", second);
  REQUIRE(runs.run("bed.toml -o bed.h5").code == 0);
  const Outcome on = runs.run("second.toml -o second.h5");
  REQUIRE_MESSAGE(on.code == 0, on.err);
  const TrajectoryReader bed(runs.scratch / "bed.h5"), stage(runs.scratch / "second.h5");
  const auto number = [](const TrajectoryReader& run, const std::string& name) {
    const auto& names = run.bodies().name;
    const auto found = std::find(names.begin(), names.end(), name);
    REQUIRE(found != names.end());
    return static_cast<std::size_t>(found - names.begin());
  };
  const FrameState was = bed.state(bed.frames().size() - 1), is = stage.state(0);
  for (const std::string name : {"grid.0.0.0", "grid.2.1.2", "box.left"})
    CHECK(is.position[number(stage, name)] == was.position[number(bed, name)]);
  CHECK(is.position[number(stage, "lid")] == Vec<3>(0, 0, 0.2));
  CHECK(stage.bodies().mass[number(stage, "grid.0.0.0")] ==
        doctest::Approx(0.4 * bed.bodies().mass[number(bed, "grid.0.0.0")]).epsilon(1e-12));
  CHECK(runs.check("second.h5") == "");
  // The same by a study, and without files in a dry run.
  write_text(runs.scratch / "study.toml", R"(
scene = "second.toml"
set = ["solver.tolerance=1e-4"]
[[axis]]
key = "from.run"
values = ["bed.h5@0.2", "bed.h5"]
)");
  const Outcome batch = talus_program("batch study.toml -o cases", runs.scratch.path());
  CHECK_MESSAGE(batch.code == 0, batch.err);
  CHECK(talus_program("run second.toml --dry-run", runs.scratch.path()).code == 0);
  CHECK(talus_program("analyze second.toml", runs.scratch.path()).code == 0);
}

TEST_CASE("what does not match is listed, and nothing is written") {
  const Runs runs;
  write_text(runs.scratch / "scene.toml", box_of_grains(2));
  REQUIRE(runs.run("scene.toml -o bed.h5 --until 0.05").code == 0);
  const auto refusal = [&](const std::string& text, const std::string& arguments) {
    write_text(runs.scratch / "other.toml", text);
    const Outcome outcome = runs.run("other.toml -o on.h5 " + arguments);
    CHECK(outcome.code == 2);
    CHECK_FALSE(std::filesystem::exists(runs.scratch / "on.h5"));
    return outcome.err;
  };
  const std::string ball = R"(
[[body]]
name = "ball"
shape = { ball = 0.01 }
material = "stone"
position = [0, 0.25]
)";
  CHECK(
      refusal(box_of_grains(2, ball), "--from bed.h5") ==
      "bed.h5: does not match other.toml: not in the run (from.add lets them start as described): "
      "ball\n");
  CHECK(
      refusal(box_of_grains(2), "--from bed.h5 --set grid.0.counts=[3,3]") ==
      "bed.h5: does not match other.toml: not in the scene (from.drop leaves them out): grid.0.3, "
      "grid.1.3, grid.2.3\n");
  CHECK(contains(refusal(box_of_grains(2), "--from bed.h5 --set grid.0.shape={ball=0.009}"),
                 "of another shape: grid.0.0, grid.1.0"));
  CHECK(contains(refusal(box_of_grains(3), "--from bed.h5"),
                 "bed.h5: is a run in 2 dimensions, the scene has 3"));
  CHECK(refusal(box_of_grains(2), "--from bed.h5@0.02") ==
        "bed.h5: has no frame at t = 0.02 s; the nearest: 0 s and 0.05 s\n");
  CHECK(refusal(box_of_grains(2), "--from bed.h5@soon") ==
        "from: 'bed.h5@soon': 'soon' is no time; write RUN.h5@0.5\n");
  CHECK(contains(refusal(box_of_grains(2), "--from bad.h5"),
                 "bad.h5: no such file (did you mean 'bed.h5'?)"));
  CHECK(refusal(box_of_grains(2, "[from]\nrun = \"bed.h5\"\ndrop = \"lid\"\n"), "") ==
        "other.toml: from: drop = \"lid\" fits no body of bed.h5\n");
}
