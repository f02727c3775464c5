// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

Vec<3> angular_momentum(const World<3>& world) {
  const Bodies<3>& bodies = world.bodies();
  return turned_inertia<3>(bodies.orientation[0], bodies.inertia[0]) * bodies.spin[0];
}

}  // namespace

TEST_CASE("a box spun about its middle axis flips over and keeps its angular momentum") {
  BodyDescription<3> body = block<3>({1, 2, 3}, Vec<3>::Zero());
  // Moments of inertia: largest about the side of 1, smallest about the side of 3.
  body.spin = {1e-3, 1, 0};
  Scene<3> scene = scene_of<3>(1e-3, {}, {body});
  scene.gravity.setZero();
  World<3> world(scene);
  const Vec<3> L = angular_momentum(world);
  const double T = world.kinetic_energy();
  double worst_L = 0, worst_T = 0;
  int flips = 0;
  double facing = 1;
  run(world, 100000, [&](const Certificate& step) {
    worst_L = std::max(worst_L, (angular_momentum(world) - L).norm() / L.norm());
    worst_T = std::max(worst_T, std::abs(step.kinetic / T - 1));
    const double axis = (rotation_matrix<3>(world.bodies().orientation[0]) * Vec<3>::UnitY())[1];
    if (axis * facing < 0 && std::abs(axis) > 0.9) {
      ++flips;
      facing = axis;
    }
  });
  bound("A23 angular momentum, relative change (vector)", worst_L, 1e-9);
  bound("A23 kinetic energy, relative change", worst_T, 1e-6);
  CHECK(flips >= 2);
}

TEST_CASE("an axisymmetric body precesses at the rate of Euler's solution") {
  // L along z, symmetry axis at an angle to it; the axis goes round L at |L|/J_1.
  BodyDescription<3> body = block<3>({0.2, 0.2, 0.6}, Vec<3>::Zero());
  const Bodies<3> made = make_bodies(scene_of<3>(1, {}, {body}));
  const double J1 = made.inertia[0](0, 0), J3 = made.inertia[0](2, 2);
  const double tilt = 0.3, L = 10 * J1;
  const Vec<3> axis(std::sin(tilt), 0, std::cos(tilt));
  body.orientation = rotated<3>({}, Spin<3>(0, tilt, 0));
  const Vec<3> along_axis = L * std::cos(tilt) * axis;
  body.spin = along_axis / J3 + (L * Vec<3>::UnitZ() - along_axis) / J1;

  std::vector<double> steps, errors;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Scene<3> scene = scene_of<3>(h, {}, {body});
    scene.gravity.setZero();
    World<3> world(scene);
    run(world, static_cast<int>(std::lround(2 / h)));
    const Vec<3> now = rotation_matrix<3>(world.bodies().orientation[0]) * Vec<3>::UnitZ();
    const double angle = L / J1 * 2;
    const Vec<3> expected(std::sin(tilt) * std::cos(angle), std::sin(tilt) * std::sin(angle),
                          std::cos(tilt));
    steps.push_back(h);
    errors.push_back((now - expected).norm());
  }
  bound("precession after 20 rad, error of the axis", errors.back(), 1e-3);
  compare("precession, order", observed_order(steps, errors), 2, 0.15);
}
