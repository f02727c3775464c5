// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/least_distance.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <random>
#include <vector>

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Every set of rows that may be active, by its normal equations.
std::optional<VectorXd> by_enumeration(const MatrixXd& C, const VectorXd& d) {
  std::optional<VectorXd> best;
  for (unsigned set = 0; set < 1U << d.size(); ++set) {
    std::vector<Index> rows;
    for (Index i = 0; i < d.size(); ++i)
      if (set >> i & 1U) rows.push_back(i);
    if (static_cast<Index>(rows.size()) > C.cols()) continue;
    const MatrixXd N = C(rows, Eigen::all);
    const VectorXd x = N.transpose() * (N * N.transpose()).eval().inverse() * -d(rows);
    if ((C * x + d).minCoeff() < -1e-9) continue;
    if (!best || x.norm() < best->norm()) best = x;
  }
  return best;
}

}  // namespace

TEST_CASE(
    "the nearest point of a random polyhedron is that of its best active set, or there is none") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int empty = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Index n = 1 + trial % 4, m = 1 + trial % 7;
    MatrixXd C = MatrixXd::NullaryExpr(m, n, [&] { return normal(random); });
    C.rowwise().normalize();
    const VectorXd d = VectorXd::NullaryExpr(m, [&] { return normal(random) - 0.3; });
    const auto found = least_distance(C, d, 0);
    const auto expected = by_enumeration(C, d);
    REQUIRE(found.has_value() == expected.has_value());
    empty += !found;
    if (found) CHECK((*found - *expected).norm() < 1e-9 * (1 + expected->norm()));
  }
  CHECK(empty > 200);
}

// Two planes that meet at a small angle, far away.
TEST_CASE("nearly parallel rows are kept apart") {
  for (const double angle : {1e-3, 1e-5, 1e-7}) {
    MatrixXd C(2, 2);
    C << 0, 1, std::sin(angle), -std::cos(angle);
    // y ≥ 1 and y ≤ x tan(angle)
    const VectorXd d{{-1, 0}};
    const auto x = least_distance(C, d, 0);
    REQUIRE(x);
    CHECK((*x)[0] == doctest::Approx(1 / std::tan(angle)).epsilon(1e-6));
    CHECK((*x)[1] == doctest::Approx(1).epsilon(1e-6));
  }
}
