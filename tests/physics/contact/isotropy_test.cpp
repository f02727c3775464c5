// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Launched over the plane in 13 directions, a body must stop after the same straight way.
void launch_all_around(const std::string& name, BodyDescription<3> body) {
  constexpr double v0 = 2, mu = 0.3, h = 1e-3;
  const double way = v0 * v0 / (2 * mu * g), time = v0 / (mu * g);
  double shortest = 1e9, longest = 0, worst_side = 0, first_stop = 1e9, last_stop = 0;
  for (int i = 0; i <= 12; ++i) {
    const double angle = 7.5 * i * degree;
    const Vec<3> heading(std::cos(angle), std::sin(angle), 0), side(-heading[1], heading[0], 0);
    body.velocity = v0 * heading;
    World<3> world(scene_of<3>(h, {.friction = mu}, {ground<3>(), body}));
    double stopped = 0;
    run(world, 750, [&](const Certificate& step) {
      if (world.bodies().velocity[1].norm() > 1e-9) stopped = step.time + h;
      const double off = std::abs(side.dot(world.bodies().position[1]));
      worst_side = std::max(worst_side, off);
    });
    const double s = heading.dot(world.bodies().position[1]);
    shortest = std::min(shortest, s);
    longest = std::max(longest, s);
    first_stop = std::min(first_stop, stopped);
    last_stop = std::max(last_stop, stopped);
  }
  compare("A06 " + name + ", stop distance [m]", longest, way, h * v0);
  bound("A06 " + name + ", spread over directions [m]", longest - shortest, 1e-9);
  bound("A06 " + name + ", deviation sideways [m]", worst_side, 1e-9);
  compare("A06 " + name + ", first to stop [s]", first_stop, time, h);
  compare("A06 " + name + ", last to stop [s]", last_stop, time, h);
}

}  // namespace

TEST_CASE("a ball that cannot turn slides equally far in all directions") {
  BodyDescription<3> body = ball<3>(0.1, {0, 0, 0.1});
  body.rotation_locked = true;
  launch_all_around("ball", body);
}

TEST_CASE("a block slides equally far in all directions") {
  launch_all_around("block", block<3>({0.2, 0.2, 0.1}, {0, 0, 0.05}));
}
