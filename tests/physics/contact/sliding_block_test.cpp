// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("a sliding block slows by mu g h a step, never lifts, and then stays", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double mu = 0.5, h = 1e-3;
  BodyDescription<D> sliding = block<D>(sides<D>(0.2, 0.1, 0.2), at<D>(0, 0.05));
  sliding.velocity = along<D>();
  World<D> world(scene_of<D>(h, {.friction = mu}, {ground<D>(), sliding}));
  double v = 1, worst_v = 0, worst_gap = 0;
  run(world, 300, [&](const Certificate&) {
    v = std::max(0.0, v - mu * g * h);
    worst_v = std::max(worst_v, (world.bodies().velocity[1] - v * along<D>()).norm());
    for (const auto& contact : world.contacts())
      worst_gap = std::max(worst_gap, std::abs(contact.contact.gap));
    worst_gap = std::max(worst_gap, std::abs(world.bodies().position[1][D - 1] - 0.05));
    worst_gap = std::max(worst_gap, 0.1 * std::abs(angle_of(world, 1)));
  });
  bound("sliding block, |v − recursion| [m/s]", worst_v, 1e-9);
  bound("sliding block, gap [m]", worst_gap, 1e-9);
}
