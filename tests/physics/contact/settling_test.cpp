// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Grains poured into a box with a flat bottom, at a step so coarse that they fall by a third of
// their radius in it.
template <int D>
Scene<D> pour(double r, double h) {
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  const int side = D == 2 ? 6 : 3;
  for (int d = 0; d < D - 1; ++d) {
    for (const double sign : {-1.0, 1.0}) {
      BodyDescription<D> wall = ground<D>();
      wall.shapes = {HalfSpace<D>{sign * Vec<D>::Unit(d), -(1.1 * side * r)}};
      bodies.push_back(wall);
    }
  }
  const int layers = D == 2 ? 8 : 5;
  for (int k = 0; k < layers; ++k) {
    for (int i = 0; i < (D == 2 ? side : side * side); ++i) {
      Vec<D> x = at<D>(0, (10 + 2.3 * k) * r);
      for (int d = 0, rest = i; d < D - 1; ++d, rest /= side)
        x[d] = 2.15 * r * (rest % side - (side - 1) / 2.0) + (k % 2 == 0 ? 0.05 : -0.05) * r;
      bodies.push_back(ball<D>(r * (1 - 0.02 * (i % 4)), x, -1.5 * up<D>()));
    }
  }
  Scene<D> scene = scene_of<D>(h, {.friction = 0.3}, bodies);
  scene.solver.tolerance = 1e-4;
  return scene;
}

}  // namespace

TEST_CASE_TEMPLATE("grains that do not bounce come to rest without sinking into each other", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.0025;
  World<D> world(pour<D>(r, 5e-4));
  double worst = 0;
  run(world, 2000, [&](const Certificate& step) { worst = std::max(worst, step.max_penetration); });
  bound("settling grains, worst penetration over radius", worst / r, 1e-2);
  if constexpr (D == 2)  // in space, nothing stops a ball that rolls
    bound("settling grains, speed at rest [m/s]", fastest(world.bodies()), 1e-3);
}
