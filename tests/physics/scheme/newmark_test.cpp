// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

struct Slip {
  double distance = 0;  // of the block against the base [m]
  double end = 0;       // when it sticks for good [s]
  double worst = 0;     // largest slip velocity [m/s]
};

// A block on a base that is accelerated at A g during T and moves uniformly then.
template <int D>
Slip shake(double A, double mu, double T, double h, double duration) {
  const double V = A * g * T;
  BodyDescription<D> base = ground<D>();
  base.fixed = false;
  base.drives = {
      drive_along<D>(Drive<D>::Kind::velocity, along<D>(), Table{{0, T, T + 100}, {0, V, V}})};
  World<D> world(
      scene_of<D>(h, {.friction = mu}, {base, block<D>(sides<D>(0.4, 0.1, 0.4), at<D>(0, 0.05))}));
  Slip slip;
  run(world, static_cast<int>(std::lround(duration / h)), [&](const Certificate& step) {
    const Bodies<D>& bodies = world.bodies();
    const double u = (bodies.velocity[0] - bodies.velocity[1])[0];
    slip.distance = (bodies.position[0] - bodies.position[1])[0];
    slip.worst = std::max(slip.worst, std::abs(u));
    if (std::abs(u) > 1e-9) slip.end = step.time + h;
  });
  return slip;
}

}  // namespace

TEST_CASE_TEMPLATE("a block slips on a base that starts to move, by Newmark's distance", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Slip first = shake<D>(0.5, 0.2, 0.3, 1e-3, 0.9);
  compare("A16 A = 0.5, slip [m]", first.distance, 0.331087, 1e-3 * 0.331087);
  compare("A16 A = 0.5, end of slip [s]", first.end, 0.75, 1e-3 * 1.5);
  const Slip second = shake<D>(0.4, 0.1, 0.5, 1e-3, 2.2);
  compare("A16 A = 0.4, slip [m]", second.distance, 1.471500, 1e-3 * 1.4715);
  compare("A16 A = 0.4, end of slip [s]", second.end, 2.0, 1e-3 * 1.5);
}

TEST_CASE_TEMPLATE("a block follows a base that starts more gently than friction allows", Dim,
                   Plane, Solid) {
  const Slip slip = shake<Dim::value>(0.15, 0.2, 0.3, 1e-3, 0.5);
  bound("A16 A < mu, slip [m]", slip.distance, 1e-12);
  bound("A16 A < mu, slip velocity [m/s]", slip.worst, 1e-12);
}
