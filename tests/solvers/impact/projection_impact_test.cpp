// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/projection_impact.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>

#include "solvers/complementarity/matrix_class.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/impact/struck_motion.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

struct RandomSystem {
  Eigen::MatrixXd M, A;
  Eigen::VectorXd v;
};

// n freedoms, m constraints, of which only `rank` are independent.
RandomSystem random_system(int n, int m, int rank, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  const auto matrix = [&](int rows, int columns) {
    return Eigen::MatrixXd(
        Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  const Eigen::MatrixXd B = matrix(n, n);
  return {B * B.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n),
          matrix(m, rank) * matrix(rank, n), matrix(n, 1)};
}

}  // namespace

TEST_CASE("the oblique projector keeps its identities, redundant constraints or not") {
  for (int seed = 0; seed < 2500; ++seed) {
    for (const auto& [m, rank] : {std::pair{3, 3}, {4, 2}, {6, 4}, {1, 1}}) {
      const auto [M, A, v] = random_system(7, m, rank, seed);
      const ObliqueProjection o(M, A);
      const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(7, 7);
      const double scale = std::max(1.0, o.S.norm()) * M.norm();
      CAPTURE(seed);
      CHECK((o.S * o.S - o.S).norm() <= 1e-12 * scale);
      CHECK((o.S * o.P).norm() <= 1e-12 * scale);  // (11a)
      CHECK((o.P * o.S.transpose()).norm() <= 1e-12 * scale);
      CHECK((o.S * (I - o.P) - o.S).norm() <= 1e-12 * scale);          // (11b)
      CHECK(((I - o.P) * o.S - (I - o.P)).norm() <= 1e-12 * scale);    // (11c)
      CHECK((M * o.S - o.S.transpose() * M).norm() <= 1e-12 * scale);  // (11d)
      CHECK((M * o.S - o.S.transpose() * M * o.S).norm() <= 1e-12 * scale);
      const Eigen::MatrixXd M_inverse = M.inverse();
      CHECK(((I - o.S) * M_inverse - o.M_o_pinv).norm() <= 1e-12 * scale);  // (11e)
      CHECK((M_inverse * (I - o.S.transpose()) - o.M_o_pinv).norm() <= 1e-12 * scale);
      CHECK((o.R * o.R - I).norm() <= 1e-12 * scale);  // (28b)
    }
  }
}

TEST_CASE("a global coefficient loses (1 - e²) of the projected energy, local ones by (53)") {
  for (int seed = 0; seed < 5000; ++seed) {
    for (const auto& [m, rank] : {std::pair{3, 3}, {5, 2}}) {
      const RandomSystem system = random_system(6, m, rank, seed);
      const Eigen::MatrixXd &M = system.M, &A = system.A;
      const Eigen::VectorXd& v = system.v;
      const ObliqueProjection o(M, A);
      const auto energy = [&](const Eigen::VectorXd& x) { return 0.5 * x.dot(M * x); };
      const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(m, m);
      for (const double e : {0.0, 0.6, 1.0}) {
        const Eigen::VectorXd plus = projected_velocity(o, A, e * I, v);
        CHECK((A * (plus + e * v)).norm() <= 1e-11 * A.norm() * v.norm());  // (23)
        const Eigen::VectorXd Sv = o.S * v;
        CHECK(energy(plus) - energy(v) ==
              doctest::Approx(-(1 - e * e) * energy(Sv)).epsilon(1e-12).scale(energy(v)));  // (32)
        CHECK((plus - (e * o.R * v + (1 - e) * (v - Sv))).norm() <= 1e-12 * v.norm());      // (28d)
      }
      if (m > rank) continue;  // (42) can be met for every E
      Eigen::VectorXd e(m);
      for (int i = 0; i < m; ++i) e[i] = 0.2 + 0.3 * i;
      const Eigen::MatrixXd E = e.asDiagonal();
      const Eigen::VectorXd plus = projected_velocity(o, A, E, v);
      const double condition = A.norm() * o.A_pinv.norm();
      CHECK((A * plus + E * A * v).norm() <= 1e-12 * condition * A.norm() * v.norm());  // (42)
      const Eigen::MatrixXd Q = loss_metric(o, M);
      const Eigen::VectorXd phi = A * v;
      CHECK(energy(plus) - energy(v) ==
            doctest::Approx(0.5 * phi.dot((E * Q * E - Q) * phi)).epsilon(1e-10).scale(energy(v)));
    }
  }
}

// Where all constraints push, projection is Moreau's law [B12, (43)].
TEST_CASE("projection and Moreau's law coincide on chains in which every contact closes") {
  for (const double e : {0.0, 0.5, 1.0}) {
    const ImpactProblem<3> impact =
        ball_chain<3>({1, 2, 0.5, 1}, {3, 2, 1, 0}, ImpactCoefficients{.restitution = e});
    const auto projection = projection_impact<3>(impact, {}).percussions;
    const auto moreau = matrix_impact<3>(impact, {}).percussions;
    for (std::size_t i = 0; i < impact.size(); ++i)
      CHECK((projection[i] - moreau[i]).norm() <= 1e-12);
  }
}

TEST_CASE("redundant contacts share the percussion of a projection") {
  // A block falls flat on four points of a wall: three would hold it.
  ImpactProblem<3> impact;
  impact.bodies = {{}, {0.5, SpinMat<3>::Identity()}};
  impact.v_minus = {{}, {Vec<3>(0, 0, -2), Spin<3>::Zero()}};
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      ContactRow<3> row;
      row.a = 0;
      row.b = 1;
      row.frame = Mat<3>{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
      row.arm_a.setZero();
      row.arm_b = Vec<3>(x, y, -1);
      impact.contacts.push_back(row);
    }
  }
  impact.coefficients.assign(4, {.restitution = 0.5});
  const ImpactAnswer<3> answer = projection_impact<3>(impact, {});
  for (const Vec<3>& p : answer.percussions) CHECK((p - Vec<3>(1.5, 0, 0)).norm() <= 1e-13);
  const Twist<3> after = velocities_after<3>(impact, answer.percussions)[1];
  CHECK((after.v - Vec<3>(0, 0, 1)).norm() <= 1e-13);
}

// [A05, (18), (19), (27), (30), (31), (35), Remarks 2 and 4]
TEST_CASE("a system struck from outside keeps its constraints, its momentum and the books") {
  for (int seed = 0; seed < 2500; ++seed) {
    for (const auto& [m, rank] : {std::pair{3, 3}, {4, 2}, {6, 4}, {1, 1}}) {
      const auto [M, A, v] = random_system(6, m, rank, seed);
      const ObliqueProjection o(M, A);
      std::mt19937 random(static_cast<unsigned>(seed + 7));
      std::normal_distribution<double> normal;
      const Eigen::VectorXd i_u = Eigen::VectorXd::NullaryExpr(6, [&] { return normal(random); });
      const double e = 0.25 * (seed % 5), size = 1 + M.norm() * v.norm() + i_u.norm();
      const StruckMotion struck = strike(o, M, e, v, i_u);
      const Eigen::VectorXd momentum = M * (struck.velocity - v) - i_u;
      CHECK((momentum - A.transpose() * struck.multipliers).norm() <= 1e-10 * size);       // (18)
      CHECK((A * (struck.velocity + e * v)).norm() <= 1e-10 * A.norm() * (1 + v.norm()));  // (23)
      const auto energy = [&mass = M](const Eigen::VectorXd& x) { return 0.5 * x.dot(mass * x); };
      CHECK(struck.energy_change == doctest::Approx(energy(struck.velocity) - energy(v))
                                        .epsilon(1e-10)
                                        .scale(energy(v) + energy(struck.velocity)));  // (31)
      // Without a blow γ is what is left of the energy.
      const StruckMotion alone = strike(o, M, e, v, Eigen::VectorXd::Zero(6));
      CHECK(alone.energy_ratio ==
            doctest::Approx(energy(alone.velocity) / energy(v)).epsilon(1e-10));
      CHECK(alone.energy_ratio >= -1e-12);
      CHECK(alone.energy_ratio <= 1 + 1e-12);
      // A blow against the constraints moves nothing, and one along them is not felt by them.
      const StruckMotion against = strike(o, M, e, v, o.S.transpose() * i_u);
      CHECK((against.velocity - alone.velocity).norm() <= 1e-10 * size);
      const StruckMotion along = strike(o, M, e, v, i_u - o.S.transpose() * i_u);
      CHECK((A.transpose() * (along.multipliers - alone.multipliers)).norm() <= 1e-10 * size);
    }
  }
}
