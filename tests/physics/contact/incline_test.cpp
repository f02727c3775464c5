// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// A body of half height `rest` on a slope, released from rest: its world.
template <int D>
World<D> on_slope(double slope, double friction, double rest, BodyDescription<D> body) {
  const Vec<D> normal = at<D>(std::sin(slope), std::cos(slope));
  body.position = rest * normal;
  body.orientation = turned<D>(-slope);
  Scene<D> scene = scene_of<D>(1e-3, {.friction = friction}, {ground<D>(slope), body});
  scene.solver.tolerance = 1e-12;
  return World<D>(scene);
}

template <int D>
Vec<D> downhill(double slope) {
  return at<D>(std::cos(slope), -std::sin(slope));
}

}  // namespace

TEST_CASE_TEMPLATE("a block stays on a slope below the angle of friction", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world =
      on_slope<D>(30 * degree, 0.6, 0.05, block<D>(sides<D>(0.2, 0.1, 0.2), Vec<D>::Zero()));
  run(world, 1000);
  bound("A03 mu = 0.6, speed after 1 s [m/s]", world.bodies().velocity[1].norm(), 1e-10);
}

TEST_CASE_TEMPLATE("a block slides down a slope above the angle of friction", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double slope = 30 * degree;
  World<D> world = on_slope<D>(slope, 0.3, 0.05, block<D>(sides<D>(0.2, 0.1, 0.2), Vec<D>::Zero()));
  const double weight = world.bodies().mass[1] * g;
  const Vec<D> normal = at<D>(std::sin(slope), std::cos(slope));
  double worst_normal = 0;
  run(world, 1000, [&](const Certificate&) {
    const double N = percussion_between(world, 0, 1).dot(normal) / world.scene().h;
    worst_normal = std::max(worst_normal, std::abs(N / (weight * std::cos(slope)) - 1));
  });
  compare("A03 mu = 0.3, v(1 s) [m/s]", world.bodies().velocity[1].dot(downhill<D>(slope)),
          g * (std::sin(slope) - 0.3 * std::cos(slope)), 1e-8);
  bound("A03 normal reaction over m g cos(slope) − 1", worst_normal, 1e-9);
}

TEST_CASE("a sphere rolls down a slope with 5/7 of g sin(slope)") {
  const double slope = 20 * degree;
  World<3> world = on_slope<3>(slope, 0.3, 0.05, ball<3>(0.05, Vec<3>::Zero()));
  run(world, 1000);
  compare("A05 rolling, a [m/s²]", world.bodies().velocity[1].dot(downhill<3>(slope)),
          5.0 / 7 * g * std::sin(slope), 1e-7);
}

TEST_CASE("a disk rolls down a slope with 2/3 of g sin(slope)") {
  const double slope = 20 * degree;
  World<2> world = on_slope<2>(slope, 0.3, 0.05, ball<2>(0.05, Vec<2>::Zero()));
  run(world, 1000);
  compare("A05 rolling disk, a [m/s²]", world.bodies().velocity[1].dot(downhill<2>(slope)),
          2.0 / 3 * g * std::sin(slope), 1e-7);
}

TEST_CASE("a sphere on a steep slope slips and spins up by 5/2 mu g cos(slope)") {
  const double slope = 50 * degree, mu = 0.2, R = 0.05;
  World<3> world = on_slope<3>(slope, mu, R, ball<3>(R, Vec<3>::Zero()));
  run(world, 1000);
  compare("A05 slipping, a [m/s²]", world.bodies().velocity[1].dot(downhill<3>(slope)), 6.253747,
          1e-6);
  compare("A05 slipping, a [m/s²], formula", world.bodies().velocity[1].dot(downhill<3>(slope)),
          g * (std::sin(slope) - mu * std::cos(slope)), 1e-7);
  compare("A05 slipping, R α [m/s²]", R * world.bodies().spin[1].norm(),
          2.5 * mu * g * std::cos(slope), 1e-7);
}
