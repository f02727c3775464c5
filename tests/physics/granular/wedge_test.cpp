// SPDX-License-Identifier: Apache-2.0
// Rocks that wedge between walls with much friction: the hardest small problems there are.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"

using namespace talus;

namespace {

World<3> rocks(int seed, double restitution) {
  const std::string text = fmt::format(R"(dimension = 3
gravity = [0, 0, -9.81]
time = {{ step = 1e-3, end = 0.8 }}
solver = {{ tolerance = 1e-8 }}
[material.rock]
density = 2000
friction = 1.5
restitution = {}
[[container]]
name = "shaft"
box = [0.2, 0.2, 3]
material = "rock"
[[packing]]
in = "shaft"
count = 10
grain = {{ polytope = 8 }}
radius = [0.05, 0.08]
seed = {}
material = "rock"
)",
                                       restitution, seed);
  return World<3>(std::get<Scene<3>>(read_scene_text(text, "rocks.toml").scene));
}

}  // namespace

// Without restitution bodies at rest obey all laws of contact whatever their forces, so each step
// has a solution. Of these, Newton and interior points leave 26 steps unsolved.
TEST_CASE("rocks that wedge in a shaft: every step without restitution is solved") {
  for (const int seed : {3, 4, 10}) {
    CAPTURE(seed);
    World<3> world = rocks(seed, 0);
    int missed = 0;
    for (int k = 0; k < 800; ++k) missed += !world.step().converged;
    CHECK(missed == 0);
  }
}

// With it a step of wedged bodies may have no solution. Its percussions must not grow without end.
TEST_CASE("rocks that wedge in a shaft: a step without solution brings no energy") {
  World<3> world = rocks(11, 0.2);
  const double start = world.kinetic_energy() + world.potential_energy();
  double most = start;
  for (int k = 0; k < 800; ++k) {
    const Certificate step = world.step();
    most = std::max(most, step.kinetic + step.potential);
  }
  CHECK(most <= start * (1 + 1e-6));
}
