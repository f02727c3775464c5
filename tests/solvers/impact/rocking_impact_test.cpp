// SPDX-License-Identifier: Apache-2.0
// The block that rocks from edge to edge, at the instant of its impact [B12, §2.3.2]: flat on the
// floor, it arrives turning about one lower corner, and Housner's block leaves turning about the
// other.
#include <doctest/doctest.h>

#include <numbers>

#include "solvers/impact/lzb.hpp"
#include "solvers/impact/poisson.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/problem/kinetic_geometry.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

struct Block {
  double b, height;  // half width and half height, unit mass

  double housner() const { return 1 - 1.5 * b * b / (b * b + height * height); }

  // Corners left (contact 0) and right (1); turns about the left one with spin −1.
  ImpactProblem<2> impact(const ImpactCoefficients& coefficients) const {
    ImpactProblem<2> impact;
    impact.bodies = {{}, {1.0, SpinMat<2>::Constant(3 / (b * b + height * height))}};
    impact.v_minus = {{}, {Vec<2>(height, -b), Spin<2>(-1.0)}};
    for (const double side : {-1.0, 1.0}) {
      ContactRow<2> row;
      row.a = 0;
      row.b = 1;
      row.frame = Mat<2>{{0, 1}, {1, 0}};
      row.arm_a.setZero();
      row.arm_b = Vec<2>(side * b, -height);
      impact.contacts.push_back(row);
    }
    impact.coefficients.assign(2, coefficients);
    return impact;
  }
};

// Turns about the right corner, and about nothing else.
bool rocks(const ImpactProblem<2>& impact, const Twist<2>& v, double tolerance) {
  const std::vector<Vec<2>> u = contact_velocities<2>(impact, std::vector<Twist<2>>{{}, v});
  return u[1].norm() <= tolerance && std::abs(u[0][1]) <= tolerance && u[0][0] > tolerance;
}

}  // namespace

TEST_CASE("the block arrives on one corner, and its quasi-tangential velocity is √m ẋ") {
  const Block block{0.25, 1};
  const ImpactProblem<2> impact = block.impact({});
  const std::vector<Vec<2>> u = contact_velocities<2>(impact, impact.v_minus);
  CHECK(u[0].norm() <= 1e-15);
  CHECK((u[1] - Vec<2>(-0.5, 0)).norm() <= 1e-15);
  const QuasiVelocities quasi = quasi_velocities<2>(impact);
  REQUIRE(quasi.T.rows() == 1);
  CHECK(quasi.tangential()[0] == doctest::Approx(1.0).epsilon(1e-14));  // √m ẋ = height [B12, (32)]
  CHECK((quasi.N * quasi.T.transpose()).norm() <= 1e-15);
}

// Without friction and restitution [Be, p. 394; M05, "Rigid body collisions"]: the corner it turned
// about leaves the floor exactly where the two contacts push each other, G₁₂ > 0, the kinetic angle
// is more than 90°, and 2 b² < height².
TEST_CASE("under Moreau's law a block rocks on where the kinetic angle is beyond 90 degrees") {
  int rocks_on = 0;
  for (double b = 0.05; b < 1.5; b += 0.01) {
    for (const double height : {0.5, 1.0, std::sqrt(2) * b * 1.001, std::sqrt(2) * b * 0.999}) {
      const Block block{b, height};
      const ImpactProblem<2> impact = block.impact({});
      const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
      REQUIRE(answer.solved);
      const std::vector<Vec<2>> u =
          contact_velocities<2>(impact, velocities_after<2>(impact, answer.percussions));
      const bool beyond = 2 * b * b < height * height;
      CHECK((kinetic_angle(quasi_velocities<2>(impact).G()(0, 1)) > std::numbers::pi / 2) ==
            beyond);
      CHECK((u[0][0] > 1e-9) == beyond);
      CHECK((answer.percussions[0][0] > 1e-9) == !beyond);
      rocks_on += beyond;
    }
  }
  CHECK(rocks_on > 100);
}

TEST_CASE("with enough friction and no restitution every law gives Housner's ratio") {
  for (const Block& block : {Block{0.25, 1}, Block{0.1, 0.5}, Block{0.5, 1}}) {
    const ImpactProblem<2> impact = block.impact({.friction = 1});
    for (const ImpactAnswer<2>& answer :
         {matrix_impact<2>(impact, {}), poisson_impact<2>(impact, {}),
          static_cast<ImpactAnswer<2>>(lzb_impact<2>(impact, {}))}) {
      REQUIRE(answer.solved);
      const Twist<2> after = velocities_after<2>(impact, answer.percussions)[1];
      CHECK(rocks(impact, after, 1e-6));
      CHECK(after.omega[0] == doctest::Approx(-block.housner()).epsilon(1e-6));
    }
  }
}

TEST_CASE("Coulomb's friction alone rocks with Housner's ratio or not at all") {
  const Block block{0.25, 1};
  int rocking = 0;
  for (double mu = 0; mu <= 2; mu += 0.1) {
    for (double rho = 0; rho <= 1; rho += 0.1) {
      const ImpactProblem<2> impact = block.impact({.friction = mu, .restitution = rho});
      for (const ImpactAnswer<2>& answer :
           {matrix_impact<2>(impact, {}), poisson_impact<2>(impact, {})}) {
        const Twist<2> after = velocities_after<2>(impact, answer.percussions)[1];
        if (!rocks(impact, after, 1e-9)) continue;
        ++rocking;
        CHECK(after.omega[0] == doctest::Approx(-block.housner()).epsilon(1e-8));
      }
    }
  }
  CHECK(rocking > 0);
}

// [B12, Remark 7]: any ratio r, with E_nn = [0 r; r 0] and q̇_tan restituted by E_tt = −r.
TEST_CASE("a quasi-tangential coefficient makes the block rock with any ratio") {
  for (const Block& block : {Block{0.25, 1}, Block{0.8, 1}}) {
    for (const double r : {0.3, 0.91, 0.97, 1.0}) {
      const ImpactProblem<2> impact = block.impact({.friction = 1});
      MatrixLaw law;
      law.E_nn.resize(2, 2);
      law.E_nn << 0, r, r, 0;
      law.E_tt = Eigen::MatrixXd::Constant(1, 1, -r);
      const ImpactAnswer<2> answer = matrix_impact<2>(impact, law);
      REQUIRE(answer.solved);
      const std::vector<Twist<2>> after = velocities_after<2>(impact, answer.percussions);
      CHECK(rocks(impact, after[1], 1e-12));
      CHECK(after[1].omega[0] == doctest::Approx(-r).epsilon(1e-12));
      CHECK(kinetic_energy<2>(impact, after) ==
            doctest::Approx(r * r * kinetic_energy<2>(impact, impact.v_minus)).epsilon(1e-12));

      // With E_tt = −I, ẋ does not jump, and the corner slides instead: no rocking but for r = 1.
      law.E_tt = Eigen::MatrixXd::Constant(1, 1, -1);
      const ImpactAnswer<2> continuous = matrix_impact<2>(impact, law);
      REQUIRE(continuous.solved);
      const Twist<2> slides = velocities_after<2>(impact, continuous.percussions)[1];
      CHECK(rocks(impact, slides, 1e-9) == (r == 1.0));
      CHECK(slides.v[0] == doctest::Approx(impact.v_minus[1].v[0]).epsilon(1e-12));
    }
  }
}

TEST_CASE("a restitution no percussion can do is refused (B12, (55))") {
  // Nothing tangential touches a row of balls, so that their common momentum cannot change.
  MatrixLaw law;
  law.E_nn = Eigen::MatrixXd::Identity(2, 2);
  const ImpactProblem<2> impact = struck_chain<2>(3, {});
  const Eigen::Index tangential = quasi_velocities<2>(impact).T.rows();
  law.E_tt = -0.5 * Eigen::MatrixXd::Identity(tangential, tangential);
  CHECK_FALSE(matrix_impact<2>(impact, law).solved);
  law.E_tt = -Eigen::MatrixXd::Identity(tangential, tangential);
  CHECK(matrix_impact<2>(impact, law).solved);
}
