// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("a body follows a tabulated force", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 0.01;
  BodyDescription<D> body = ball<D>(0.1, at<D>(0, 0));
  body.mass = 2;
  Scene<D> scene = scene_of<D>(h, {}, {body});
  scene.gravity.setZero();
  AppliedForce<D> force;
  force.body = 0;
  force.direction = along<D>();
  force.signal = Table{{0.1, 0.5, 0.6}, {0, 8, 0}};
  scene.forces = {force};
  World<D> world(scene);
  double x = 0, v = 0, worst = 0;
  run(world, 100, [&](const Certificate& step) {
    const double t = step.time - h / 2;  // t + θh
    const double F = t < 0.1 ? 0 : t < 0.5 ? 20 * (t - 0.1) : t < 0.6 ? 80 * (0.6 - t) : 0;
    const double v_next = v + h * F / 2;
    x += h * (v + v_next) / 2;
    v = v_next;
    worst = std::max(worst, std::abs(world.bodies().position[0][0] - x));
    worst = std::max(worst, std::abs(world.bodies().velocity[0][0] - v));
  });
  bound("tabulated force, deviation from the recursion [m, m/s]", worst, 1e-13);
  compare("tabulated force, momentum given over ∫F dt", world.bodies().velocity[0][0] * 2, 2.0,
          1e-12);
}

TEST_CASE_TEMPLATE("a force beside the mass centre turns a body, and so does a torque", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  BodyDescription<D> body = block<D>(sides<D>(0.4, 0.2, 0.2), at<D>(0, 0));
  Scene<D> scene = scene_of<D>(1e-3, {}, {body});
  scene.gravity.setZero();
  AppliedForce<D> force, torque;
  force.body = torque.body = 0;
  force.direction = up<D>();
  force.point = at<D>(0.2, 0);
  force.signal = Constant{3};
  torque.axis = turning<D>();
  torque.signal = Constant{0.4};
  scene.forces = {force, torque};
  World<D> world(scene);
  const double J = turning<D>().dot(world.bodies().inertia[0] * turning<D>());
  world.step();
  compare("force beside the centre, spin [rad/s]", world.bodies().spin[0].dot(turning<D>()),
          1e-3 * (0.2 * 3 + 0.4) / J, 1e-15);
  compare("force beside the centre, velocity [m/s]", world.bodies().velocity[0][D - 1],
          1e-3 * 3 / world.bodies().mass[0], 1e-15);
}

TEST_CASE_TEMPLATE("a block moves when pushed harder than friction holds, and not before", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  BodyDescription<D> body = block<D>(sides<D>(0.2, 0.1, 0.2), at<D>(0, 0.05));
  body.mass = 10;
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.3}, {ground<D>(), body});
  // 0.3·10·9.81 = 29.43 N is reached at 0.4905 s
  scene.forces = {{.body = 1,
                   .direction = along<D>(),
                   .point = at<D>(0, -0.05),
                   .signal = Table{{0, 1}, {0, 60}}}};
  World<D> world(scene);
  double moved_at = 0;
  run(world, 1000, [&](const Certificate& step) {
    if (moved_at == 0 && world.bodies().velocity[1].norm() > 1e-9) moved_at = step.time;
  });
  compare("pushed block, time of the first motion [s]", moved_at, 0.4905, 2e-3);
  // ∫ (60 t − 29.43) dt over the rest, over 10 kg
  compare("pushed block, v(1 s) [m/s]", world.bodies().velocity[1][0],
          (30 - 29.43 - 30 * 0.4905 * 0.4905 + 29.43 * 0.4905) / 10, 1e-4);
}
