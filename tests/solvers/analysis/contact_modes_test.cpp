// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_modes.hpp"

#include <doctest/doctest.h>

#include <numbers>
#include <random>

#include "solvers/analysis/contact_cones.hpp"
#include "solvers/analysis/contact_lcp.hpp"
#include "solvers/complementarity/lcp.hpp"
#include "solvers/complementarity/sparse_rank.hpp"

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd random_matrix(Index rows, Index columns, std::mt19937& engine) {
  return MatrixXd::NullaryExpr(rows, columns,
                               [&] { return std::normal_distribution<double>()(engine); });
}

ContactSystem random_sliding_system(Index contacts, Index dof, double mu, std::mt19937& engine) {
  ContactSystem system;
  system.bilateral = empty_constraints(0, 1, dof);
  system.unilateral = empty_constraints(contacts, 1, dof);
  ConstraintSet& u = system.unilateral;
  u.normal = random_matrix(contacts, dof, engine).sparseView(1, 0);
  u.tangent = random_matrix(contacts, dof, engine).sparseView(1, 0);
  u.friction.setConstant(mu);
  u.slip.setOnes();
  u.w_normal = random_matrix(contacts, 1, engine);
  u.w_tangent = random_matrix(contacts, 1, engine);
  return system;
}

}  // namespace

TEST_CASE("modes of sliding contacts are the solutions of the contact LCP") {
  std::mt19937 engine(11);
  int none = 0, one = 0, more = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const ContactSystem system = random_sliding_system(4, 5, 1.0, engine);
    const SlidingMatrices A = sliding_matrices(system);
    const std::vector<LcpSolution> expected =
        enumerate_lcp(unilateral_matrix(A), system.unilateral.w_normal);
    const ModeList found = enumerate_modes(system);
    CHECK(found.complete);
    REQUIRE(found.solutions.size() == expected.size());
    for (const ModeSolution& solution : found.solutions) {
      const double least = [&] {
        double distance = 1e300;
        for (const LcpSolution& other : expected)
          distance = std::min(distance, (other.z - solution.normal_u).norm());
        return distance;
      }();
      CHECK(least <= 1e-6 * (1 + solution.normal_u.norm()));
    }
    (expected.empty() ? none : expected.size() == 1 ? one : more)++;
  }
  CHECK(none > 0);
  CHECK(one > 0);
  CHECK(more > 0);
}

TEST_CASE("a block at rest sticks, and a push beyond the cone makes it slip") {
  for (const double push : {0.0, 2.0, 2.999, 3.001, -2.999, -3.001, -4.0}) {
    ContactSystem system;
    system.bilateral = empty_constraints(0, 1, 2);
    system.unilateral = empty_constraints(1, 1, 2);
    ConstraintSet& u = system.unilateral;
    MatrixXd n(1, 2), t(1, 2);
    n << 0, 1;
    t << 1, 0;
    u.normal = n.sparseView(1, 0);
    u.tangent = t.sparseView(1, 0);
    u.friction.setConstant(0.3);
    u.w_normal.setConstant(-10);
    u.w_tangent.setConstant(push);
    const ModeList list = enumerate_modes(system);
    REQUIRE(list.solutions.size() == 1);
    const ModeSolution& solution = list.solutions.front();
    CHECK(solution.normal_u[0] == doctest::Approx(10));
    if (std::abs(push) > 3) {
      CHECK(solution.unilateral[0] ==
            (push < 0 ? ContactMode::slip_minus : ContactMode::slip_plus));
      CHECK(solution.tangent_u[0] == doctest::Approx(push < 0 ? 3 : -3));
    } else {
      CHECK(solution.unilateral[0] == ContactMode::stick);
      CHECK(solution.tangent_u[0] == doctest::Approx(-push));
    }
  }
}

// Of a million choices few are looked at, or enumeration would take minutes.
TEST_CASE("ten contacts are enumerated by a small tree, those at rest, too") {
  std::mt19937 engine(3);
  for (const bool resting : {false, true}) {
    ContactSystem system = random_sliding_system(10, 12, 0.3, engine);
    if (resting) system.unilateral.slip.setZero();
    CHECK(mode_count(system) == (resting ? 1048576 : 1024));
    const ModeList list = enumerate_modes(system, resting ? 10000 : 500);
    CHECK(list.complete);
    CHECK(!list.solutions.empty());
  }
}

namespace {

ContactSystem random_resting_system(Index contacts, Index dof, int tangents, double mu,
                                    std::mt19937& engine) {
  ContactSystem system;
  system.tangents = tangents;
  system.bilateral = empty_constraints(0, tangents, dof);
  system.unilateral = empty_constraints(contacts, tangents, dof);
  ConstraintSet& u = system.unilateral;
  u.normal = random_matrix(contacts, dof, engine).sparseView(1, 0);
  u.tangent = random_matrix(contacts * tangents, dof, engine).sparseView(1, 0);
  u.friction.setConstant(mu);
  u.w_normal = random_matrix(contacts, 1, engine);
  u.w_tangent = random_matrix(contacts * tangents, 1, engine);
  return system;
}

// Signorini and Coulomb for contacts at rest, from outside: the worst violation.
double law_violation(const ContactSystem& system, const ModeSolution& solution) {
  const ConstraintSet& u = system.unilateral;
  const int t = system.tangents;
  const VectorXd a_n = VectorXd(u.normal * solution.acceleration) + u.w_normal;
  const VectorXd a_t = VectorXd(u.tangent * solution.acceleration) + u.w_tangent;
  double worst = 0;
  for (Index i = 0; i < u.size(); ++i) {
    const double n = solution.normal_u[i];
    const VectorXd f = solution.tangent_u.segment(i * t, t), a = a_t.segment(i * t, t);
    worst = std::max({worst, -n, -a_n[i], std::abs(std::min(n, a_n[i]))});
    worst = std::max(worst, f.norm() - u.friction[i] * n);
    if (n > 1e-6) worst = std::max(worst, f.dot(a) + u.friction[i] * n * a.norm());
  }
  return worst;
}

}  // namespace

TEST_CASE("in space a block starts to slip the way it is pushed, when pushed beyond its friction") {
  for (int k = 0; k < 36; ++k) {
    const double angle = k * std::numbers::pi / 18 + 0.01;
    for (const double push : {0.999, 1.001}) {
      ContactSystem system;
      system.tangents = 2;
      system.bilateral = empty_constraints(0, 2, 3);
      system.unilateral = empty_constraints(1, 2, 3);
      ConstraintSet& u = system.unilateral;
      u.normal = MatrixXd(Eigen::RowVector3d(0, 0, 1)).sparseView(1, 0);
      MatrixXd t(2, 3);
      t << 1, 0, 0, 0, 1, 0;
      u.tangent = t.sparseView(1, 0);
      u.friction.setConstant(0.3);
      u.w_normal.setConstant(-10);
      const Vec<2> direction(std::cos(angle), std::sin(angle));
      u.w_tangent = 3 * push * direction;
      const ModeList list = enumerate_modes(system);
      CHECK(list.complete);
      REQUIRE(list.solutions.size() == 1);
      const ModeSolution& solution = list.solutions.front();
      CHECK(solution.freedom == 0);
      CHECK(solution.unilateral[0] == (push < 1 ? ContactMode::stick : ContactMode::slip));
      CHECK((solution.tangent_u + std::min(push, 1.0) * 3 * direction).norm() < 1e-8);
    }
  }
}

// One contact in space, all directions of slip tried on a fine grid: a solution is a direction
// against which friction acts and along which the contact accelerates.
TEST_CASE("in space one contact's modes are those that a scan of its directions finds") {
  std::mt19937 engine(21);
  int slipping = 0, several = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double mu = trial % 2 == 0 ? 0.8 : 4;
    const ContactSystem system = random_resting_system(1, 4, 2, mu, engine);
    const ConstraintSet& u = system.unilateral;
    const MatrixXd N(u.normal), T(u.tangent);
    const double W_nn = N.squaredNorm();
    const Vec<2> W_tn = T * N.transpose();
    const Mat<2> W_tt = T * T.transpose();
    const Vec<2> w_tangent = u.w_tangent;
    const auto turn = [&](double angle, double& normal, double& along) {
      const Vec<2> d(std::cos(angle), std::sin(angle));
      normal = -u.w_normal[0] / (W_nn - mu * W_tn.dot(d));
      const Vec<2> a = (W_tn - mu * W_tt * d) * normal + w_tangent;
      along = a.dot(d);
      return d[0] * a[1] - d[1] * a[0];
    };
    int expected = u.w_normal[0] > 0 ? 1 : 0;  // detaches
    const Vec<3> stuck = [&]() -> Vec<3> {
      Mat<3> W;
      W(0, 0) = W_nn;
      W.block<1, 2>(0, 1) = W_tn.transpose();
      W.block<2, 1>(1, 0) = W_tn;
      W.block<2, 2>(1, 1) = W_tt;
      return -W.inverse() * Vec<3>(u.w_normal[0], w_tangent[0], w_tangent[1]);
    }();
    expected += stuck.tail<2>().norm() <= mu * stuck[0];
    constexpr int grid = 20000;
    double normal = 0, along = 0, last = turn(0, normal, along);
    for (int k = 1; k <= grid; ++k) {
      const double now = turn(k * 2 * std::numbers::pi / grid, normal, along);
      const bool crosses = (now > 0) != (last > 0) && std::abs(now - last) < 1;
      if (crosses && normal > 0 && along > 0) {
        ++expected;
        ++slipping;
      }
      last = now;
    }
    const ModeList list = enumerate_modes(system);
    CHECK(list.complete);
    CHECK(static_cast<int>(list.solutions.size()) == expected);
    several += expected > 1;
    for (const ModeSolution& solution : list.solutions)
      CHECK(law_violation(system, solution) < 1e-7);
  }
  CHECK(slipping > 30);
  CHECK(several > 3);
}

// A box of mass 1 on its four lower corners, pushed at the height of its mass centre: statics gives
// the forces when it slides, and none of them when it stays.
TEST_CASE("in space a box on four corners stays, or slides with the forces of statics") {
  const double a = 0.5, b = 0.4, c = 0.1, g = 10, mu = 0.3;
  const Vec<3> inertia((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3);
  const Vec<3> root = inertia.cwiseSqrt();
  for (const double push : {0.0, 2.5, 3.5}) {
    const Vec<3> load(push * 0.8, push * 0.6, -g);
    ContactSystem system;
    system.tangents = 2;
    system.bilateral = empty_constraints(0, 2, 6);
    system.unilateral = empty_constraints(4, 2, 6);
    ConstraintSet& u = system.unilateral;
    MatrixXd normal = MatrixXd::Zero(4, 6), tangent = MatrixXd::Zero(8, 6);
    for (int i = 0; i < 4; ++i) {
      const Vec<3> r(i % 2 == 0 ? -a : a, i < 2 ? -b : b, -c);
      const auto row = [&](const Vec<3>& n) -> Vec<6> {
        Vec<6> gradient;
        gradient.head<3>() = n;
        gradient.tail<3>() = r.cross(n).cwiseQuotient(root);
        return gradient;
      };
      normal.row(i) = row(Vec<3>::UnitZ());
      tangent.row(2 * i) = row(Vec<3>::UnitX());
      tangent.row(2 * i + 1) = row(Vec<3>::UnitY());
    }
    u.normal = normal.sparseView(1, 0);
    u.tangent = tangent.sparseView(1, 0);
    u.friction.setConstant(mu);
    u.w_normal = normal.leftCols<3>() * load;
    u.w_tangent = tangent.leftCols<3>() * load;
    const ModeList list = enumerate_modes(system);
    CHECK(list.complete);
    REQUIRE(!list.solutions.empty());
    CHECK(one_acceleration(list));
    for (const ModeSolution& solution : list.solutions) {
      CHECK(law_violation(system, solution) < 1e-6);
      const Vec<3> force = solution.acceleration.head<3>();
      CHECK(force[2] == doctest::Approx(g));
      CHECK(force.head<2>().norm() == doctest::Approx(std::min(push, mu * g)));
      CHECK(solution.acceleration.tail<3>().norm() < 1e-6);
      const bool slides = push > mu * g;
      for (const ContactMode mode : solution.unilateral)
        CHECK(mode == (slides ? ContactMode::slip : ContactMode::stick));
    }
  }
}

TEST_CASE("Lemke's method finds one of the ways in which contacts at rest go on") {
  std::mt19937 engine(8);
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ContactSystem system = random_resting_system(4, 6, 1, 0.5, engine);
    if (trial % 3 == 0) {
      system.bilateral = empty_constraints(2, 1, 6);
      system.bilateral.normal = random_matrix(2, 6, engine).sparseView(1, 0);
      system.bilateral.w_normal = random_matrix(2, 1, engine);
    }
    if (trial % 2 == 0) system.unilateral.slip(0, 1) = -1;
    const ModeList all = enumerate_modes(system);
    CHECK(all.complete);
    const std::optional<LemkeModes> lemke = lemke_modes(system, 100);
    REQUIRE(lemke);
    if (lemke->end != LemkeEnd::solved) continue;
    ++solved;
    double nearest = 1e300;
    for (const ModeSolution& solution : all.solutions)
      nearest = std::min(nearest, (solution.acceleration - lemke->motion.acceleration).norm());
    CHECK(nearest < 1e-6 * (1 + lemke->motion.acceleration.norm()));
  }
  CHECK(solved > 180);
  // Contacts at rest alone: the matrix is copositive, and Lemke does not fail.
  const ContactSystem large = random_resting_system(60, 80, 1, 0.5, engine);
  const std::optional<LemkeModes> lemke = lemke_modes(large, 500);
  REQUIRE(lemke);
  CHECK(lemke->end == LemkeEnd::solved);
  CHECK(lemke->motion.unilateral.size() == 60);
  CHECK_FALSE(lemke_modes(large, 100));
}

// Of the contact solver's motions in space: each obeys the law, and is among the modes.
TEST_CASE("contacts at rest in space go on as the solver with round cones says") {
  std::mt19937 engine(18);
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ContactSystem system = random_resting_system(1 + trial % 3, 6, 2, 0.3, engine);
    if (trial % 4 == 0) {
      system.bilateral = empty_constraints(2, 2, 6);
      system.bilateral.normal = random_matrix(2, 6, engine).sparseView(1, 0);
      system.bilateral.w_normal = random_matrix(2, 1, engine);
    }
    if (trial % 5 == 0) system.unilateral.slip.col(0) = Vec<2>(0.6, -0.8);
    const std::optional<ConeMotion> cones = cone_motion(system, 100);
    REQUIRE(cones);
    if (!cones->converged) continue;
    ++solved;
    const ModeList all = enumerate_modes(system, {.most_visits = 20000, .first = &cones->motion});
    REQUIRE(!all.solutions.empty());
    double nearest = 1e300;
    for (const ModeSolution& solution : all.solutions)
      nearest = std::min(nearest, (solution.acceleration - cones->motion.acceleration).norm());
    CHECK(nearest < 1e-3 * (1 + cones->motion.acceleration.norm()));
    if (trial % 5 != 0 && trial % 4 != 0)
      CHECK(law_violation(system, all.solutions.front()) < 1e-6);
  }
  CHECK(solved > 50);
  CHECK(!cone_motion(random_resting_system(2, 6, 1, 0.3, engine), 100));
  CHECK(!cone_motion(random_resting_system(2, 6, 2, 0.3, engine), 5));
}

TEST_CASE("ranks and dependent rows are the same densely and sparsely") {
  std::mt19937 engine(4);
  for (int trial = 0; trial < 50; ++trial) {
    MatrixXd A = random_matrix(12, 20, engine);
    A.row(7) = 2 * A.row(1) - A.row(3);
    if (trial % 2 == 1) A.row(10) = -3 * A.row(0);
    const SparseRows rows = A.sparseView(1, 0);
    const RowSpace dense = row_space(rows, 100), sparse = row_space(rows, 0);
    CHECK(dense.rank == (trial % 2 == 1 ? 10 : 11));
    CHECK(sparse.rank == dense.rank);
    const std::vector<int> expected =
        trial % 2 == 1 ? std::vector<int>{0, 1, 3, 7, 10} : std::vector<int>{1, 3, 7};
    CHECK(dense.dependent == expected);
    CHECK(sparse.dependent == expected);
    // The other way round: more rows than columns.
    const SparseRows tall = MatrixXd(A.transpose()).sparseView(1, 0);
    CHECK(row_space(tall, 100).rank == dense.rank);
    CHECK(row_space(tall, 0).rank == dense.rank);
    CHECK(row_space(tall, 0).dependent == row_space(tall, 100).dependent);
  }
}
