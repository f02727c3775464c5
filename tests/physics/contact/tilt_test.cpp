// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// A column of n blocks on a base that tilts at 0.2°/s, from one degree below the expected failure.
// Returns the tilt at which a block has moved against the base by a ten-thousandth of its width or
// turned by as many radians.
template <int D>
double tilt_of_failure(int n, double mu, double expected) {
  constexpr double w = 0.2, height = 0.1;
  const double rate = 0.2 * degree, start = expected - 1 * degree;
  BodyDescription<D> base = ground<D>();
  base.fixed = false;
  base.orientation = turned<D>(-start);
  base.drives = {{Drive<D>::Kind::spin, Vec<D>::Zero(), -turning<D>(), Constant{rate}}};
  std::vector<BodyDescription<D>> bodies = {base};
  for (int i = 0; i < n; ++i) {
    const double z = (i + 0.5) * height;
    bodies.push_back(
        block<D>(sides<D>(w, height, w), z * at<D>(std::sin(start), std::cos(start)), -start));
  }
  World<D> world(scene_of<D>(1e-3, {.friction = mu}, bodies));
  double failed = 0;
  run(world, 10000, [&](const Certificate& step) {
    if (failed > 0) return;
    const double tilt = start + rate * step.time;
    for (std::size_t i = 1; i < world.bodies().size(); ++i) {
      const double slid = world.bodies().position[i].dot(at<D>(std::cos(tilt), -std::sin(tilt)));
      const double turn = -angle_of(world, static_cast<int>(i)) - tilt;
      if (std::abs(slid) > 1e-4 * w || std::abs(turn) > 1e-4) failed = tilt;
    }
  });
  return failed;
}

}  // namespace

TEST_CASE_TEMPLATE("a column on a tilting base overturns at tan θ = w/(n h)", Dim, Plane, Solid) {
  const double expected = std::atan(0.2 / 0.4);
  compare("C02 mu = 0.8, failure [°]", tilt_of_failure<Dim::value>(4, 0.8, expected) / degree,
          26.565, 0.15);
}

// While it falls, edges part and press by as little as rounding: run() asks that every step is
// solved to its tolerance all the same.
TEST_CASE("no step of a falling column is left unsolved, wherever it began") {
  for (const double expected : {0.46364761, 0.46365, 0.4637, 0.4630, 0.4625})
    CHECK(tilt_of_failure<3>(4, 0.8, expected) > 0);
}

TEST_CASE_TEMPLATE("a column on a tilting base slides at tan θ = mu", Dim, Plane, Solid) {
  const double expected = std::atan(0.4);
  compare("C02 mu = 0.4, failure [°]", tilt_of_failure<Dim::value>(4, 0.4, expected) / degree,
          21.801, 0.15);
}
