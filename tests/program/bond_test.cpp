// SPDX-License-Identifier: Apache-2.0
// Bonds through the program: the file, the check, a restart, and a run from a frame of another.
#include <doctest/doctest.h>

#include <fstream>

#include "io/trajectory/trajectory_reader.hpp"
#include "tests/program/program.hpp"
#include "tests/scratch.hpp"

using namespace talus;

namespace {

// A slab hangs below a ceiling by mortar and is pulled until the joint is half torn; then the pull
// is held below what is left.
const std::string slab = R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-4, end = 0.04, save_every = 50 }
solver = { tolerance = 1e-8 }
[material.stone]
density = 2000
friction = 0.6
bond = { tension = 2e4, cohesion = 3e4, fracture_energy = 20 }
[[body]]
name = "ceiling"
shape = { box = [1, 0.2] }
material = "stone"
position = [0, 0.1]
fixed = true
[[body]]
name = "slab"
shape = { box = [1, 0.1] }
material = "stone"
position = [0, -0.05]
[[force]]
body = "slab"
direction = [0, -1]
force = { table = [[0, 0], [0.01, 2.4e4], [0.012, 2.4e4], [0.013, 2e3]] }
)";

struct Hanging {
  Scratch scratch;
  Hanging() { std::ofstream(scratch / "slab.toml") << slab; }
  int run(const std::string& arguments) const {
    return talus_program("run " + arguments + " --quiet --threads 1", scratch.path()).code;
  }
  FrameBonds bonds(const std::string& file) const {
    const TrajectoryReader reader(scratch / file);
    return reader.bonds(reader.frames().size() - 1);
  }
};

}  // namespace

TEST_CASE("the file of a run holds the damage of its bonds, and the check judges their cones") {
  const Hanging hanging;
  REQUIRE(hanging.run("slab.toml -o slab.h5") == 0);
  const TrajectoryReader reader(hanging.scratch / "slab.h5");
  CHECK(reader.header().bonds == 2);
  double last = 0, energy = 0;
  for (std::size_t k = 0; k < reader.frames().size(); ++k) {
    const FrameBonds bonds = reader.bonds(k);
    REQUIRE(bonds.size() == 2);
    CHECK(bonds.area[0] == doctest::Approx(0.5));
    CHECK(bonds.damage[0] >= last);
    last = bonds.damage[0];
  }
  CHECK(last > 0.05);
  CHECK(last < 0.95);
  for (const Certificate& step : reader.series().steps) energy -= step.bond_work;
  CHECK(energy == doctest::Approx(20 * 1.0 * last).epsilon(0.01));
  const Outcome check = talus_program("check slab.h5", hanging.scratch.path());
  INFO(check.out);
  CHECK(check.code == 0);
}

TEST_CASE("a run with bonds goes on after it was stopped, bit by bit") {
  const Hanging hanging;
  REQUIRE(hanging.run("slab.toml -o whole.h5") == 0);
  REQUIRE(hanging.run("slab.toml -o parts.h5 --until 0.0121") == 0);
  REQUIRE(hanging.run("slab.toml -o parts.h5 --resume --until 0.04") == 0);
  const FrameBonds whole = hanging.bonds("whole.h5"), parts = hanging.bonds("parts.h5");
  REQUIRE(whole.size() == 2);
  CHECK(whole.damage == parts.damage);
  CHECK(whole.opening == parts.opening);
}

TEST_CASE("a run from a frame of another goes on with its bonds") {
  const Hanging hanging;
  REQUIRE(hanging.run("slab.toml -o first.h5") == 0);
  const double before = hanging.bonds("first.h5").damage[0];
  // From the end, exact, and from a frame: both hold what is left, and break under a greater pull.
  for (const std::string from : {"first.h5", "first.h5@0.03"}) {
    CAPTURE(from);
    REQUIRE(hanging.run("slab.toml -o on.h5 --force --from " + from +
                        " --set force.0.force=2000 --until 0.01") == 0);
    CHECK(hanging.bonds("on.h5").damage[0] == doctest::Approx(before).epsilon(1e-6));
    CHECK(talus_program("check on.h5", hanging.scratch.path()).code == 0);
    REQUIRE(hanging.run("slab.toml -o torn.h5 --force --from " + from +
                        " --set force.0.force=30000 --until 0.03") == 0);
    CHECK(hanging.bonds("torn.h5").damage[0] == 1);
  }
}
