// SPDX-License-Identifier: Apache-2.0
// The bundled scenes of loads and control.
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

double value(const World<2>& world, const std::string& name, const std::string& column) {
  const auto& measures = world.scene().measures;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].name != name) continue;
    const auto columns = measure_columns<2>(measures[m]);
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].name == column) return world.measures().row(m)[k];
  }
  FAIL("no ", name, ".", column);
  return 0;
}

int run_to_stop(World<2>& world) {
  int unsolved = 0;
  while (!world.stopped() && world.steps() < world.scene().last_step())
    unsolved += !world.step().converged;
  return unsolved;
}

}  // namespace

TEST_CASE("oedometer: at rest the bed carries the pressure and the weights above") {
  World<2> world = open<2>("oedometer");
  CHECK(run_to_stop(world) == 0);
  REQUIRE(world.stopped() == 0);
  const std::size_t lid = body<2>(world, "lid");
  const double weight = 9.81 * world.bodies().mass[lid], load = 20000 * 0.1499 + weight;
  CHECK(world.time() > 0.3);
  CHECK(value(world, "lid", "force_y") == doctest::Approx(load).epsilon(1e-4));
  // The walls take a part by friction.
  double grains = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) grains += 9.81 * world.bodies().mass[i];
  const double floor = -value(world, "floor", "force_y");
  CHECK(floor < load - weight + grains);
  CHECK(floor > 0.3 * load);
  const double xx = value(world, "bed", "fabric_xx"), yy = value(world, "bed", "fabric_yy");
  CHECK(xx + yy == doctest::Approx(1).epsilon(1e-12));
  double contacts = 0;
  for (int k = 0; k < 20; ++k) contacts += value(world, "bed", "force_bin_" + std::to_string(k));
  CHECK(contacts > 50);
  CHECK(value(world, "bed", "strain_yy") < 0);
  CHECK(value(world, "lid", "displacement_y") < -0.01);
}

TEST_CASE("biaxial: the servo plates hold their force until the top has come down") {
  World<2> world = open<2>("biaxial");
  double worst = 0;
  int unsolved = 0;
  while (!world.stopped() && world.steps() < world.scene().last_step()) {
    unsolved += !world.step().converged;
    if (world.time() < 0.9) continue;
    worst = std::max(worst, std::abs(value(world, "right", "force_x") - 60));
    worst = std::max(worst, std::abs(value(world, "left", "force_x") + 60));
  }
  CHECK(unsolved == 0);
  CHECK(world.stopped() == 0);
  CHECK(worst < 9);
  CHECK(value(world, "top", "displacement") > 0.016);
  CHECK(value(world, "top", "force_y") > 60);
}
