#include "solvers/contact_modes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <random>

#include "solvers/lcp.hpp"
#include "solvers/sparse_rank.hpp"

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
  for (int trial = 0; trial < 300; ++trial) {
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
  for (const double push : {0.0, 2.0, -4.0}) {
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
    if (push == -4) {
      CHECK(solution.unilateral[0] == ContactMode::slip_minus);
      CHECK(solution.tangent_u[0] == doctest::Approx(3));
    } else {
      CHECK(solution.unilateral[0] == ContactMode::stick);
      CHECK(solution.tangent_u[0] == doctest::Approx(-push));
    }
  }
}

TEST_CASE("ten contacts are enumerated within a second") {
  std::mt19937 engine(3);
  const ContactSystem system = random_sliding_system(10, 12, 0.3, engine);
  CHECK(mode_count(system) == 1024);
  const auto start = std::chrono::steady_clock::now();
  enumerate_modes(system);
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 1);
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
