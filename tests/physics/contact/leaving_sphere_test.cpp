// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("a ball sliding down a smooth sphere leaves it at cos θ = 2/3 cos θ₀", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 1, r = 0.05, start = 10 * degree;
  BodyDescription<D> sphere = ball<D>(R, Vec<D>::Zero());
  sphere.fixed = true;
  sphere.material = 0;
  World<D> world(scene_of<D>(
      1e-4, {}, {sphere, ball<D>(r, at<D>((R + r) * std::sin(start), (R + r) * std::cos(start)))}));
  double left_at = 0;
  run(
      world, 15000,
      [&](const Certificate&) {
        const Vec<D>& x = world.bodies().position[1];
        if (percussion_between(world, 0, 1).norm() > 0)
          left_at = std::atan2(x[0], x[D - 1]) / degree;
      },
      1e-8);
  compare("A21 angle of leaving [°]", left_at, 48.9636, 0.3);
}
