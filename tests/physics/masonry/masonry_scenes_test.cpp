// SPDX-License-Identifier: Apache-2.0
// The bundled scenes of masonry: a dome, a window over a settlement, a tilted wall, stones from
// files.
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

TEST_CASE("a dome with an oculus stands") {
  World<3> world = open<3>("dome");
  const Displacement<3> displacement(world);
  run(world);
  CHECK(displacement.largest(world) < 1e-4);
}

TEST_CASE("a wall with a window follows the settlement on one side and stays on the other") {
  World<2> world = open<2>("wall_window");
  const Displacement<2> displacement(world);
  run(world);
  const auto sunk = [&](const char* name) {
    const std::size_t i = body(world, name);
    return displacement.start[i][1] - world.bodies().position[i][1];
  };
  CHECK(sunk("left") == doctest::Approx(0.03).epsilon(1e-9));
  // The ends of the lowest and of the uppermost course.
  CHECK(sunk("wall.0.0") == doctest::Approx(0.03).epsilon(0.02));
  CHECK(sunk("wall.11.0") == doctest::Approx(0.03).epsilon(0.15));
  CHECK(std::abs(sunk("wall.0.9")) < 1e-3);
  CHECK(std::abs(sunk("wall.11.10")) < 3e-3);
  // The lintel turns with its bearings: about 3 cm over the width of the window and half of them.
  const double tilt = world.bodies().orientation[body(world, "wall.lintel.0")].angle;
  CHECK(tilt > 0.01);
  CHECK(tilt < 0.06);
  CHECK(displacement.largest(world) < 0.06);
  CHECK(world.kinetic_energy() < 1e-3);
}

TEST_CASE("a dry-stone wall rests on a tilting table and falls before it slides") {
  World<2> world = open<2>("dry_wall_tilted");
  const std::size_t table = body(world, "table");
  const auto in_table = [&](std::size_t i) -> Vec<2> {
    const Mat<2> R = rotation_matrix<2>(world.bodies().orientation[table]);
    return R.transpose() * (world.bodies().position[i] - world.bodies().position[table]);
  };
  std::vector<Vec<2>> start;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) start.push_back(in_table(i));
  double moved_early = 0, turned = 0;
  run(world, [&] {
    turned = world.bodies().orientation[table].angle * 180 / M_PI;
    if (turned > 8) return;
    for (std::size_t i = 0; i < start.size(); ++i)
      if (world.bodies().moves_freely(i))
        moved_early = std::max(moved_early, (in_table(i) - start[i]).norm());
  });
  CHECK(turned == doctest::Approx(35.5).epsilon(0.03));
  CHECK(moved_early < 1e-3);
  int left = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    left += world.bodies().moves_freely(i) && std::abs(in_table(i)[0]) > 2;
  CHECK(left > 3);
}

TEST_CASE("stones from files, cut apart where they overlap, settle and stand") {
  World<3> world = open<3>("scanned_stones");
  CHECK(world.bodies().size() == 11);
  const Displacement<3> displacement(world);
  run(world);
  CHECK(displacement.largest(world) < 5e-3);
  CHECK(world.kinetic_energy() < 1e-3);
}
