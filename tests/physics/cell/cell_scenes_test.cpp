// SPDX-License-Identifier: Apache-2.0
// The bundled scenes with periodic cells do what their `expect` lines say.
#include "tests/physics/cell/cell_scenes.hpp"

#include "tests/physics/bundled_scene.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
double column(const World<D>& world, const std::string& name) {
  const auto columns = measure_columns<D>(world.scene().measures[0]);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == name) return world.measures().row(0)[k];
  FAIL("no column ", name);
  return 0;
}

}  // namespace

TEST_CASE("cooling: momentum stays and the temperature falls as Haff says") {
  World<3> world = open<3>("cooling");
  const Vec<3> before = momentum<3>(world.bodies());
  const double scale = momentum_scale<3>(world.bodies());
  const auto temperature = [&] {
    return column(world, "kinetic_stress_xx") + column(world, "kinetic_stress_yy") +
           column(world, "kinetic_stress_zz");
  };
  std::vector<double> t, root;  // 1/√T is a straight line
  while (world.time() < world.scene().end) {
    world.step();
    if (world.steps() < 800 || world.steps() % 100 != 0) continue;  // once the clouds have mixed
    t.push_back(world.time());
    root.push_back(1 / std::sqrt(temperature()));
  }
  bound("momentum", (momentum<3>(world.bodies()) - before).norm() / scale, 1e-12);
  double mean_t = 0, mean = 0, st = 0, tt = 0, ss = 0;
  const auto n = static_cast<double>(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) mean_t += t[i] / n, mean += root[i] / n;
  for (std::size_t i = 0; i < t.size(); ++i) {
    st += (t[i] - mean_t) * (root[i] - mean);
    tt += (t[i] - mean_t) * (t[i] - mean_t);
    ss += (root[i] - mean) * (root[i] - mean);
  }
  CHECK(st > 0);
  CHECK(st * st / (tt * ss) > 0.99);  // R² of the line
}

TEST_CASE("compressed_cell: the contacts carry the stress, and are isostatic") {
  World<3> world = open<3>("compressed_cell");
  while (world.time() < world.scene().end) CHECK(world.step().converged);
  for (const char* name : {"stress_xx", "stress_yy", "stress_zz"})
    compare(name, column(world, name), 100, 0.1);
  compare("coordination", column(world, "coordination_without_rattlers"), 6, 0.1);
  CHECK(column(world, "solid_fraction") > 0.6);
  CHECK(column(world, "solid_fraction") < 0.66);
}

TEST_CASE("shear_cell: the ratio of shear stress to pressure is that of dense flows") {
  World<2> world = open<2>("shear_cell");
  double shear = 0, normal = 0, solid = 0, rows = 0;
  while (world.time() < world.scene().end) {
    CHECK(world.step().converged);
    if (world.time() < 0.8 || world.steps() % 5 != 0) continue;
    shear -= column(world, "stress_xy") + column(world, "kinetic_stress_xy");
    normal += column(world, "stress_yy") + column(world, "kinetic_stress_yy");
    solid += column(world, "solid_fraction");
    ++rows;
  }
  compare("normal stress", normal / rows, 1000, 20);
  compare("friction of the flow", shear / normal, 0.25 + 1.1 * 0.1, 0.05);
  compare("solid fraction", solid / rows, 0.81 - 0.3 * 0.1, 0.02);
}
