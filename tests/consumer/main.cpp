// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <talus/engine/world.hpp>
#include <talus/io/scene/scene_reader.hpp>

// A ball in free fall, after ten steps of the scene's own length.
int main(int, char** argv) {
  const talus::SceneDocument document = talus::read_scene(argv[1]);
  talus::World<3> world(std::get<talus::Scene<3>>(document.scene));
  for (int step = 0; step < 10; ++step) world.step();
  const double expected = -9.81 * world.time();
  std::printf("velocity %g, expected %g\n", world.bodies().velocity[1][2], expected);
  return std::abs(world.bodies().velocity[1][2] - expected) < 1e-12 ? 0 : 1;
}
