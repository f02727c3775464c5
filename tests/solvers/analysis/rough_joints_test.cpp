// SPDX-License-Identifier: Apache-2.0
// Friction in pins, against closed forms of one body and against a search over s.
#include "solvers/analysis/rough_joints.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// A rod in the plane on a pin, r from its centre along its own axis at the angle θ, that turns at
// ω under gravity: freedoms √m x, √m y, √I θ.
struct Pendulum {
  double m = 2, I = 0.5, r = 0.8, theta = 0.3, omega = 0, g = 9.81, friction = 0;

  ContactSystem system() const {
    // Pin = centre − r d; ḣ = v − r ω d⊥, ḧ without forces: g + r ω² d.
    const double c = std::cos(theta), s = std::sin(theta);
    ContactSystem system;
    system.bilateral = empty_constraints(2, 1, 3);
    system.unilateral = empty_constraints(0, 1, 3);
    MatrixXd N(2, 3), T = MatrixXd::Zero(2, 3);
    N << 1 / std::sqrt(m), 0, r * s / std::sqrt(I), 0, 1 / std::sqrt(m), -r * c / std::sqrt(I);
    T(0, 2) = 1 / std::sqrt(I);
    system.bilateral.normal = N.sparseView(1, 0);
    system.bilateral.tangent = T.sparseView(1, 0);
    system.bilateral.w_normal << r * omega * omega * c, r * omega * omega * s - g;
    system.rough_joints = {{0, 2, friction, omega > 0 ? 1 : omega < 0 ? -1 : 0}};
    return system;
  }

  // About the pin (I + m r²) α = −m g r cos θ + τ, and the force of the pin is m (a − g) with
  // a = α r d⊥ − ω² r d.
  double alpha(double torque) const {
    return (-m * g * r * std::cos(theta) + torque) / (I + m * r * r);
  }
  double force(double torque) const {
    const double c = std::cos(theta), s = std::sin(theta), a = alpha(torque) * r;
    return m * std::hypot(-a * s - omega * omega * r * c, a * c - omega * omega * r * s + g);
  }
  double acceleration(const ModeSolution& motion) const {
    return motion.acceleration[2] / std::sqrt(I);
  }
};

}  // namespace

TEST_CASE("a pendulum turns in its pin as its equation about the pin says") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(0.2, 2), angle(-3, 3), coefficient(0, 0.3);
  int several = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    Pendulum rod{number(random), number(random), number(random), angle(random), angle(random)};
    rod.friction = trial % 4 == 0 ? 5 * coefficient(random) : coefficient(random);
    const ModeList list = enumerate_rough_joints(rod.system(), {});
    REQUIRE(list.complete);
    const double ratio = rod.friction * rod.m * rod.r / (rod.I + rod.m * rod.r * rod.r);
    CHECK(joint_friction_ratio(rod.system()) == doctest::Approx(ratio));
    if (ratio < 1) REQUIRE(list.solutions.size() == 1);
    several += list.solutions.size() > 1;
    const double way = rod.omega > 0 ? 1 : -1;
    for (const ModeSolution& motion : list.solutions) {
      const double torque = motion.tangent_b[0];
      CHECK(motion.bilateral[0] == ContactMode::slide);
      CHECK(torque == doctest::Approx(-way * rod.friction * rod.force(torque)).epsilon(1e-8));
      CHECK(motion.normal_b.norm() == doctest::Approx(rod.force(torque)).epsilon(1e-8));
      CHECK(rod.acceleration(motion) == doctest::Approx(rod.alpha(torque)).epsilon(1e-8));
    }
    // Signs of ‖λ(s)‖ − s over s count the roots that are there.
    int roots = 0;
    double last = 1;
    for (double s = 1e-6; s < 1e5; s *= 1.001) {
      const double miss = rod.force(-way * rod.friction * s) - s;
      if (miss * last < 0) ++roots;
      last = miss;
    }
    CHECK(static_cast<int>(list.solutions.size()) == roots);
  }
  CHECK(several > 4);
}

TEST_CASE("a pendulum at rest stays where its weight is within the friction of its pin") {
  // It stays while m g r |cos θ| ≤ μ m g: cos θ ≤ μ/r.
  for (const double factor : {0.99, 1.01}) {
    Pendulum rod;
    rod.friction = 0.2;
    rod.theta = std::acos(factor * rod.friction / rod.r);
    const ModeList list = enumerate_rough_joints(rod.system(), {});
    REQUIRE(list.complete);
    REQUIRE(list.solutions.size() == 1);
    const ModeSolution& motion = list.solutions[0];
    const double torque = motion.tangent_b[0];
    if (factor < 1) {
      CHECK(motion.bilateral[0] == ContactMode::stick);
      CHECK(torque == doctest::Approx(rod.m * rod.g * rod.r * std::cos(rod.theta)));
      CHECK(std::abs(rod.acceleration(motion)) < 1e-9);
    } else {
      CHECK(motion.bilateral[0] == ContactMode::slip_minus);
      CHECK(torque == doctest::Approx(rod.friction * rod.force(torque)));
      CHECK(rod.acceleration(motion) == doctest::Approx(rod.alpha(torque)));
      CHECK(rod.acceleration(motion) < 0);
    }
  }
}
