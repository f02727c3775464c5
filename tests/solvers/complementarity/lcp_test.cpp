// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/lcp.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <random>

#include "solvers/complementarity/cell.hpp"
#include "solvers/complementarity/matrix_class.hpp"
#include "solvers/complementarity/mlcp.hpp"

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number() { return std::normal_distribution<double>()(engine_); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  MatrixXd matrix(Index n, Index m) {
    return MatrixXd::NullaryExpr(n, m, [&] { return number(); });
  }
  MatrixXd integers(Index n, Index m, int size) {
    return MatrixXd::NullaryExpr(n, m, [&] { return static_cast<double>(whole(-size, size)); });
  }

 private:
  std::mt19937 engine_;
};

// Positive definite and unsymmetric.
MatrixXd definite_matrix(Random& random, Index n) {
  const MatrixXd B = random.matrix(n, n), S = random.matrix(n, n);
  return B * B.transpose() + 0.1 * MatrixXd::Identity(n, n) + (S - S.transpose());
}

// The product of the minors' signs by brute force: determinants of all principal submatrices.
bool all_minors_positive_by_determinants(const MatrixXd& M) {
  for (unsigned long subset = 1; subset < (1UL << M.rows()); ++subset) {
    std::vector<Index> on;
    for (Index i = 0; i < M.rows(); ++i) {
      if ((subset >> i & 1UL) != 0) on.push_back(i);
    }
    if (!(MatrixXd(M(on, on)).determinant() > 0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Lemke's method and enumeration agree on thousands of P-matrix problems") {
  Random random(1);
  for (int k = 0; k < 10000; ++k) {
    const Index n = random.whole(1, 7);
    const MatrixXd M = definite_matrix(random, n);
    const VectorXd q = random.matrix(n, 1);
    const LemkeAnswer lemke = solve_lemke(M, q);
    REQUIRE(lemke.end == LemkeEnd::solved);
    CHECK(lcp_residual(M, q, lemke.z) < 1e-9);
    const std::vector<LcpSolution> all = enumerate_lcp(M, q);
    REQUIRE(all.size() == 1);
    CHECK((all[0].z - lemke.z).norm() < 1e-7 * (1 + lemke.z.norm()));
  }
}

TEST_CASE("P-matrices that are not positive definite have one solution for every q, too") {
  Random random(2);
  int found = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index n = random.whole(2, 5);
    MatrixXd M = random.matrix(n, n);
    M.diagonal() = M.diagonal().cwiseAbs() + VectorXd::Constant(n, 1.5);
    const bool P = is_P_matrix(M) == Verdict::yes;
    CHECK(P == all_minors_positive_by_determinants(M));
    if (!P || is_positive_definite(M)) continue;
    ++found;
    const VectorXd q = random.matrix(n, 1);
    const LemkeAnswer lemke = solve_lemke(M, q);
    REQUIRE(lemke.end == LemkeEnd::solved);
    const std::vector<LcpSolution> all = enumerate_lcp(M, q);
    REQUIRE(all.size() == 1);
    CHECK((all[0].z - lemke.z).norm() < 1e-7 * (1 + lemke.z.norm()));
  }
  CHECK(found > 500);
}

TEST_CASE("on positive semidefinite problems, degenerate or not, Lemke decides about solvability") {
  Random random(3);
  int solvable = 0, unsolvable = 0, families = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index n = random.whole(2, 6), rank = random.whole(1, static_cast<int>(n));
    const MatrixXd B = random.integers(n, rank, 2);
    const MatrixXd M = B * B.transpose();
    const VectorXd q = random.integers(n, 1, 2);
    const LemkeAnswer lemke = solve_lemke(M, q);
    REQUIRE(lemke.end != LemkeEnd::pivot_limit);
    const std::vector<LcpSolution> all = enumerate_lcp(M, q);
    CHECK((lemke.end == LemkeEnd::solved) == !all.empty());
    if (all.empty()) {
      ++unsolvable;
      continue;
    }
    ++solvable;
    CHECK(lcp_residual(M, q, lemke.z) < 1e-9);
    // M z is the same for all solutions of a symmetric semidefinite problem [BBB16, Theorem 1(d)].
    for (const LcpSolution& solution : all) {
      CHECK((M * (solution.z - lemke.z)).norm() < 1e-6 * (1 + lemke.z.norm()));
      families += solution.freedom > 0;
    }
  }
  CHECK(solvable > 1500);
  CHECK(unsolvable > 400);
  CHECK(families > 150);
}

TEST_CASE("strictly copositive problems always have a solution and Lemke finds one") {
  Random random(4);
  int found = 0;
  for (int k = 0; k < 12000; ++k) {
    const Index n = random.whole(2, 6);
    const MatrixXd M = random.matrix(n, n) + 0.8 * MatrixXd::Ones(n, n);
    if (is_strictly_copositive(M) != Verdict::yes) continue;
    ++found;
    const VectorXd q = random.matrix(n, 1);
    const LemkeAnswer lemke = solve_lemke(M, q);
    REQUIRE(lemke.end == LemkeEnd::solved);
    CHECK(lcp_residual(M, q, lemke.z) < 1e-8);
    const std::vector<LcpSolution> all = enumerate_lcp(M, q);
    bool listed = false;
    for (const LcpSolution& solution : all) {
      listed = listed || (solution.z - lemke.z).norm() < 1e-6 * (1 + lemke.z.norm());
    }
    CHECK(listed);
  }
  CHECK(found > 2000);
}

TEST_CASE("problems that make pivoting rules cycle end, with lexicographic ties") {
  // Kostreva's example: least-index pivoting cycles on this P-matrix with q < 0 of equal entries.
  MatrixXd M(3, 3);
  M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  const VectorXd q = VectorXd::Constant(3, -1);
  const LemkeAnswer lemke = solve_lemke(M, q);
  REQUIRE(lemke.end == LemkeEnd::solved);
  CHECK((lemke.z - VectorXd::Constant(3, 1.0 / 3)).norm() < 1e-12);

  // Ties everywhere: Beale's cycling linear program as the LCP of its optimality conditions.
  MatrixXd A(3, 4);
  A << 0.25, -60, -1.0 / 25, 9, 0.5, -90, -1.0 / 50, 3, 0, 0, 1, 0;
  VectorXd b(3), c(4);
  b << 0, 0, 1;
  c << -0.75, 150, -0.02, 6;
  MatrixXd L = MatrixXd::Zero(7, 7);
  L.topRightCorner(4, 3) = A.transpose();
  L.bottomLeftCorner(3, 4) = -A;
  VectorXd r(7);
  r << c, b;
  const LemkeAnswer beale = solve_lemke(L, r);
  REQUIRE(beale.end == LemkeEnd::solved);
  CHECK(lcp_residual(L, r, beale.z) < 1e-10);
  CHECK(c.dot(beale.z.head(4)) == doctest::Approx(-1.0 / 20).epsilon(1e-10));
}

// Idle v by hand: 0 ≤ v ⟂ M v ≥ 0.
TEST_CASE("a load is admissible where it does no work on idle forces") {
  std::mt19937 engine(12);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 10000; ++trial) {
    const VectorXd q = VectorXd::NullaryExpr(2, [&] { return normal(engine); });
    MatrixXd M(2, 2);
    M << 0, 0, 0, 1;  // v = (t, 0)
    CHECK(is_admissible(M, q) == (q[0] >= 0));
    M << 1, -1, -1, 1;  // v = (t, t)
    CHECK(is_admissible(M, q) == (q[0] + q[1] >= 0));
    M << 0, 1, -1, 0;  // v = (0, t)
    CHECK(is_admissible(M, q) == (q[1] >= 0));
    M << 0, 0, 0, 0;  // all v
    CHECK(is_admissible(M, q) == (q.minCoeff() >= 0));
    M << 2, -1, -1, 2;  // none
    CHECK(is_admissible(M, q));
  }
}

TEST_CASE("a point is found in a cell that is hardly open, and none in one that is not") {
  // x₁ ≥ 0 and −x₁ ≥ 0, and −0.46 x₁ − ε x₂ ≥ 1: x = (0, −1/ε) is the nearest.
  for (const double e : {1e-1, 1e-2, 1.9330693e-3, 1e-3, 1e-4, 1e-5}) {
    Cell cell{MatrixXd(0, 2), MatrixXd(4, 2), VectorXd(0), VectorXd(4), {}};
    cell.C << 0.9, 0, -0.45, 0, 0, 0, -0.46, -e;
    cell.d << 0, 0, 0, -1;
    const auto x = find_point(cell);
    REQUIRE(x);
    CHECK(std::abs((*x)[0]) < 1e-6);
    CHECK((*x)[1] == doctest::Approx(-1 / e).epsilon(1e-5));
    cell.C.row(2) << 0, 1;  // x₂ ≥ 0
    CHECK_FALSE(find_point(cell));
  }
}

TEST_CASE("an N-matrix problem has 0, 1, 2 or 3 solutions, as the erratum's Lemma 1 says") {
  SUBCASE("all entries negative: none unless r ≥ 0, exactly two for r > 0") {
    MatrixXd M(2, 2);
    M << -1, -2, -2, -1;
    REQUIRE(is_N_matrix(M));
    CHECK(enumerate_lcp(M, VectorXd{{-1, 1}}).empty());
    CHECK(enumerate_lcp(M, VectorXd{{-1, -1}}).empty());
    Random random(5);
    for (int k = 0; k < 200; ++k) {
      const VectorXd r{{0.1 + std::abs(random.number()), 0.1 + std::abs(random.number())}};
      CHECK(enumerate_lcp(M, r).size() == 2);
    }
  }
  SUBCASE("some entry positive: one for r not ≥ 0, three for r > 0, two when r has a zero") {
    MatrixXd M(2, 2);
    M << -1, 2, 1, -1;
    REQUIRE(is_N_matrix(M));
    CHECK(enumerate_lcp(M, VectorXd{{-1, 1}}).size() == 1);
    CHECK(enumerate_lcp(M, VectorXd{{-1, -1}}).size() == 1);
    CHECK(enumerate_lcp(M, VectorXd{{1, 1}}).size() == 3);
    CHECK(enumerate_lcp(M, VectorXd{{1, 0}}).size() == 2);
  }
}

TEST_CASE("copositivity is decided exactly where it matters") {
  MatrixXd M(2, 2);
  M << 1, -1, -1, 1;
  CHECK(is_copositive(M) == Verdict::yes);
  CHECK(is_strictly_copositive(M) == Verdict::no);
  M << 1, 5, 5, 1;  // neither definite nor semidefinite
  CHECK(is_strictly_copositive(M) == Verdict::yes);
  CHECK_FALSE(is_positive_definite(M));
  M << 1, -1.001, -1.001, 1;
  CHECK(is_copositive(M) == Verdict::no);
  // Horn's matrix: copositive, yet no sum of a semidefinite and a nonnegative one.
  MatrixXd horn(5, 5);
  horn << 1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1;
  CHECK(is_copositive(horn) == Verdict::yes);
  CHECK(is_copositive(horn - 1e-3 * MatrixXd::Identity(5, 5)) == Verdict::no);

  Random random(6);
  for (int k = 0; k < 500; ++k) {
    const Index n = random.whole(2, 5);
    const MatrixXd A = random.matrix(n, n) + 0.5 * MatrixXd::Ones(n, n);
    double sampled = 1e300;
    for (int s = 0; s < 2000; ++s) {
      VectorXd x = VectorXd::NullaryExpr(n, [&] { return std::abs(random.number()); });
      const int support = random.whole(1, (1 << n) - 1);  // on every face of the simplex
      for (Index i = 0; i < n; ++i) x[i] *= support >> i & 1;
      x /= x.sum();
      sampled = std::min(sampled, x.dot(A * x));
    }
    const Copositivity c = copositivity(A);
    CHECK(c.lower <= sampled + 1e-12);
    CHECK(c.lower > sampled - 0.3 * (1 + std::abs(sampled)));
  }
}

TEST_CASE("bounds for large matrices bracket the truth") {
  Random random(7);
  const MatrixXd B = random.matrix(40, 40);
  const MatrixXd M = B * B.transpose() + MatrixXd::Identity(40, 40);
  CHECK(is_P_matrix(M) == Verdict::yes);
  CHECK(is_strictly_copositive(M) == Verdict::yes);
  MatrixXd bad = M;
  bad(3, 3) = -1;
  CHECK(is_P_matrix(bad) == Verdict::no);
  CHECK(is_copositive(bad) == Verdict::no);
  const Copositivity c = copositivity(M);
  CHECK(c.lower <= c.upper);
  CHECK(c.lower > 0);
}

TEST_CASE("a P-matrix stays one under every perturbation smaller than 1/beta_2") {
  Random random(8);
  int tested = 0;
  for (int k = 0; k < 60; ++k) {
    const Index n = random.whole(2, 3);
    MatrixXd M = random.matrix(n, n);
    M.diagonal() = M.diagonal().cwiseAbs() + VectorXd::Constant(n, 0.5);
    if (is_P_matrix(M) != Verdict::yes) continue;
    ++tested;
    const double beta = beta_2(M);
    // Against a grid over the cube.
    double grid = 0;
    const int cells = n == 2 ? 60 : 20;
    for (int i = 0; i <= cells; ++i) {
      for (int j = 0; j <= cells; ++j) {
        for (int l = 0; l <= (n == 3 ? cells : 0); ++l) {
          VectorXd d(n);
          d[0] = i / double(cells);
          d[1] = j / double(cells);
          if (n == 3) d[2] = l / double(cells);
          const MatrixXd A =
              MatrixXd::Identity(n, n) + MatrixXd(d.asDiagonal() * (M - MatrixXd::Identity(n, n)));
          grid = std::max(grid, sigma_max(A.inverse() * MatrixXd(d.asDiagonal())));
        }
      }
    }
    CHECK(beta == doctest::Approx(grid).epsilon(1e-9));  // the grid has the corners of the cube
    for (int p = 0; p < 50; ++p) {
      MatrixXd perturbation = random.matrix(n, n);
      perturbation *= 0.999 / (beta * sigma_max(perturbation));
      CHECK(is_P_matrix(M + perturbation) == Verdict::yes);
    }
  }
  CHECK(tested > 15);
  const MatrixXd B = random.matrix(4, 4);
  const MatrixXd S = B * B.transpose() + 0.1 * MatrixXd::Identity(4, 4);
  CHECK(beta_2(S) == doctest::Approx(sigma_max(S.inverse())).epsilon(1e-10));

  // Of a large matrix it is a bound from above.
  const MatrixXd large = definite_matrix(random, 14);
  const double beta = beta_2(large);
  for (int k = 0; k < 500; ++k) {
    std::vector<Index> on;
    for (Index i = 0; i < 14; ++i) {
      if (random.whole(0, 1) == 1) on.push_back(i);
    }
    CHECK(sigma_max(MatrixXd(large(on, on)).inverse()) <= beta * (1 + 1e-12));
  }
  MatrixXd triangular = MatrixXd::Identity(14, 14);
  triangular.triangularView<Eigen::StrictlyUpper>().setConstant(3);
  CHECK(is_P_matrix(triangular) == Verdict::yes);
  CHECK(std::isinf(beta_2(triangular)));
}

TEST_CASE("mixed problems: elimination and enumeration agree, singular blocks are enumerated") {
  Random random(9);
  for (int k = 0; k < 10000; ++k) {
    const Index m = random.whole(1, 4), n = random.whole(1, 4);
    const MatrixXd full = definite_matrix(random, m + n);
    const MixedProblem problem{full.topLeftCorner(m, m),    full.topRightCorner(m, n),
                               full.bottomLeftCorner(n, m), full.bottomRightCorner(n, n),
                               random.matrix(m, 1).col(0),  random.matrix(n, 1).col(0)};
    const auto one = solve_mlcp(problem);
    const auto all = enumerate_mlcp(problem);
    REQUIRE(one);
    REQUIRE(all.size() == 1);
    CHECK((one->x - all[0].x).norm() < 1e-7 * (1 + one->x.norm()));
    CHECK((one->y - all[0].y).norm() < 1e-7 * (1 + one->y.norm()));
  }
  // Two equal equations: x is not unique, y is.
  MixedProblem redundant;
  redundant.A = MatrixXd::Ones(2, 2);
  redundant.B = MatrixXd::Zero(2, 1);
  redundant.C = MatrixXd::Zero(1, 2);
  redundant.D = MatrixXd::Identity(1, 1);
  redundant.a = VectorXd::Constant(2, -1);
  redundant.c = VectorXd::Constant(1, -2);
  CHECK_FALSE(solve_mlcp(redundant));
  const auto all = enumerate_mlcp(redundant);
  REQUIRE(all.size() == 1);
  CHECK(all[0].freedom == 1);
  CHECK(all[0].y[0] == doctest::Approx(2));
}

TEST_CASE("horizontal problems: one solution exactly when P⁻¹N is a P-matrix") {
  Random random(10);
  int unique = 0, otherwise = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index n = random.whole(1, 4);
    const HorizontalProblem problem{random.matrix(n, n) + 1.5 * MatrixXd::Identity(n, n),
                                    random.matrix(n, n) + 1.5 * MatrixXd::Identity(n, n),
                                    random.matrix(n, 1).col(0)};
    const auto M = hlcp_matrix(problem);
    REQUIRE(M);
    const auto all = enumerate_hlcp(problem);
    for (const HorizontalSolution& s : all) {
      CHECK((problem.P * s.plus - problem.N * s.minus + problem.r).norm() <
            1e-8 * (1 + s.plus.norm() + s.minus.norm()));
      CHECK(s.plus.dot(s.minus) == 0);
    }
    if (is_P_matrix(*M) == Verdict::yes) {
      ++unique;
      REQUIRE(all.size() == 1);
      const auto one = solve_hlcp(problem);
      REQUIRE(one);
      CHECK((one->plus - all[0].plus).norm() < 1e-6 * (1 + one->plus.norm()));
    } else {
      otherwise += all.size() != 1;
    }
  }
  CHECK(unique > 2000);
  CHECK(otherwise > 300);
}
