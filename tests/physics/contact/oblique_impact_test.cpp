// SPDX-License-Identifier: Apache-2.0
// Two balls that meet obliquely. Both receive the percussion at one common point, midway between
// their surfaces at q_m, so angular momentum is conserved exactly; the lever arms then add up to
// the distance of the centres there, r₁ + r₂ but for a gap of O(h v_n), and the spins are of first
// order in h.
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Equal balls of radius r and mass m at rest and at the relative velocity u = (−v_n, v_t) when they
// touch, sliding all the while: P_N = m v_n / 2, P_T = μ P_N, and each gets the spin r P_T / J.
template <int D>
struct Outcome {
  double spin_error = 0;              // relative
  double angular_momentum_error = 0;  // relative
};

template <int D>
Outcome<D> collide(double h, double r, double mu) {
  Scene<D> scene = scene_of<D>(h, {mu, 0, 0}, {});
  scene.gravity.setZero();
  scene.correct_drift = false;
  const double v_n = 1, v_t = 2;            // [m/s]
  const double meets_at = 0.012 + 0.3 * h;  // [s]: at the same place in a step for every h
  scene.bodies = {ball<D>(r, Vec<D>::Zero()),
                  ball<D>(r, at<D>(2 * r + v_n * meets_at, -v_t * meets_at), at<D>(-v_n, v_t))};
  World<D> world(scene);
  const double m = world.bodies().mass[1], J = world.bodies().inertia[1](0, 0);
  Certificate step = world.step();
  const Vec<3> before{step.angular_momentum_x, step.angular_momentum_y, step.angular_momentum_z};
  while (world.time() < 2 * meets_at) step = world.step();
  const Vec<3> after{step.angular_momentum_x, step.angular_momentum_y, step.angular_momentum_z};
  const double spin = r * mu * (m * v_n / 2) / J;
  return {std::abs(world.bodies().spin[1].norm() - spin) / spin,
          (after - before).norm() / before.norm()};
}

}  // namespace

TEST_CASE_TEMPLATE("spins after an oblique impact are of first order, angular momentum is exact",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double r = 0.05, mu = 0.1;
  std::vector<double> steps, errors;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
    const Outcome<D> outcome = collide<D>(h, r, mu);
    CAPTURE(h);
    CHECK(outcome.angular_momentum_error <= 1e-13);
    CHECK(outcome.spin_error <= h * std::hypot(1, 2) / r);  // h ‖u‖ / r
    steps.push_back(h);
    errors.push_back(outcome.spin_error);
  }
  CHECK(observed_order(steps, errors) == doctest::Approx(1).epsilon(0.05));
}
