// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/matrix_class.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index exact_P = 20;
constexpr Index exact_copositive = 16;
constexpr Index exact_beta = 10;

// M is a P-matrix exactly when m₁₁ > 0, and M without its first row and column and the Schur
// complement of m₁₁ are P-matrices.
bool all_minors_positive(const MatrixXd& M) {
  const Index n = M.rows();
  if (n == 0) return true;
  if (!(M(0, 0) > 0)) return false;
  if (n == 1) return true;
  const MatrixXd rest = M.bottomRightCorner(n - 1, n - 1);
  if (!all_minors_positive(rest)) return false;
  return all_minors_positive(rest -
                             M.bottomLeftCorner(n - 1, 1) * M.topRightCorner(1, n - 1) / M(0, 0));
}

// The least value of xᵀAx found so far, and where.
struct SimplexPoint {
  double value = std::numeric_limits<double>::infinity();
  VectorXd x;

  void improve(const MatrixXd& A, const VectorXd& other) {
    const double there = other.dot(A * other);
    if (!(there < value)) return;
    value = there;
    x = other;
  }
};

// The minimum over the simplex is taken at a point whose support α, if chosen least, gives a
// regular system A_αα x = λ 1, Σx = 1 with x > 0; then λ is the minimum.
SimplexPoint exact_simplex_minimum(const MatrixXd& A) {
  const Index n = A.rows();
  SimplexPoint least;
  for (unsigned long support = 1; support < (1UL << n); ++support) {
    std::vector<Index> on;
    for (Index i = 0; i < n; ++i) {
      if ((support >> i & 1UL) != 0) on.push_back(i);
    }
    const auto k = static_cast<Index>(on.size());
    MatrixXd bordered = MatrixXd::Zero(k + 1, k + 1);
    bordered.topLeftCorner(k, k) = A(on, on);
    bordered.topRightCorner(k, 1).setConstant(-1);
    bordered.bottomLeftCorner(1, k).setConstant(1);
    VectorXd right = VectorXd::Zero(k + 1);
    right[k] = 1;
    const VectorXd x = DenseLu(bordered).solve(right);
    if (!x.allFinite() || x.head(k).minCoeff() < -1e-12) continue;
    // Any point of the simplex is an upper bound, so a badly solved system cannot mislead.
    VectorXd point = VectorXd::Zero(n);
    point(on) = x.head(k).cwiseMax(0.0);
    const double sum = point.sum();
    if (!(sum > 0.5 && sum < 2)) continue;
    least.improve(A, point / sum);
  }
  return least;
}

// Pairwise exchange of weight, each line search exact, from every vertex.
SimplexPoint local_simplex_minimum(const MatrixXd& A) {
  const Index n = A.rows();
  SimplexPoint least;
  for (Index start = 0; start < n; ++start) {
    VectorXd x = VectorXd::Zero(n);
    x[start] = 1;
    VectorXd gradient = 2 * A.col(start);
    for (int move = 0; move < 50; ++move) {
      Index to = 0, from = 0;
      gradient.minCoeff(&to);
      double worst = -std::numeric_limits<double>::infinity();
      for (Index i = 0; i < n; ++i) {
        if (x[i] > 0 && gradient[i] > worst) {
          worst = gradient[i];
          from = i;
        }
      }
      const double slope = gradient[to] - gradient[from];
      if (!(slope < 0)) break;
      const double curvature = 2 * (A(to, to) + A(from, from) - 2 * A(to, from));
      const double step = curvature > 0 ? std::min(x[from], -slope / curvature) : x[from];
      x[to] += step;
      x[from] -= step;
      gradient += 2 * step * (A.col(to) - A.col(from));
    }
    least.improve(A, x);
  }
  return least;
}

}  // namespace

Verdict is_P_matrix(const MatrixXd& M) {
  assert(M.rows() == M.cols());
  if (M.rows() <= exact_P) return all_minors_positive(M) ? Verdict::yes : Verdict::no;
  if (is_positive_definite(M)) return Verdict::yes;
  const Index n = M.rows();
  for (Index i = 0; i < n; ++i) {
    if (!(M(i, i) > 0)) return Verdict::no;
    for (Index j = 0; j < i; ++j) {
      if (!(M(i, i) * M(j, j) - M(i, j) * M(j, i) > 0)) return Verdict::no;
    }
  }
  return Verdict::unknown;
}

Definiteness definiteness(const MatrixXd& M) {
  if (M.rows() == 0) return {std::numeric_limits<double>::infinity(), 0};
  const MatrixXd symmetric = 0.5 * (M + M.transpose());
  const VectorXd values = symmetric.selfadjointView<Eigen::Lower>().eigenvalues();
  return {values.minCoeff(), values.maxCoeff()};
}

bool is_positive_definite(const MatrixXd& M) {
  const Definiteness d = definiteness(M);
  return d.smallest > 1e-13 * std::max(std::abs(d.largest), std::abs(d.smallest));
}

Copositivity copositivity(const MatrixXd& M) {
  if (M.rows() == 0) return {};
  const MatrixXd A = 0.5 * (M + M.transpose());
  if (A.rows() <= exact_copositive) {
    const SimplexPoint least = exact_simplex_minimum(A);
    return {least.value, least.value, least.x};
  }
  // On the simplex 1/n ≤ ‖x‖² ≤ 1, so xᵀAx ≥ λ_min/n or λ_min; and no less than the least entry.
  const double smallest = definiteness(A).smallest;
  const double from_spectrum = smallest > 0 ? smallest / static_cast<double>(A.rows()) : smallest;
  const SimplexPoint found = local_simplex_minimum(A);
  return {std::max(from_spectrum, A.minCoeff()), found.value, found.x};
}

Verdict Copositivity::copositive(double tolerance) const {
  if (lower >= -tolerance) return Verdict::yes;
  return upper < -tolerance ? Verdict::no : Verdict::unknown;
}

Verdict Copositivity::strictly(double tolerance) const {
  if (lower > tolerance) return Verdict::yes;
  return upper <= tolerance ? Verdict::no : Verdict::unknown;
}

namespace {
double entry_rounding(const MatrixXd& M) {
  return M.size() > 0 ? 1e-12 * M.cwiseAbs().maxCoeff() : 0;
}
}  // namespace

Verdict is_copositive(const MatrixXd& M) { return copositivity(M).copositive(entry_rounding(M)); }

Verdict is_strictly_copositive(const MatrixXd& M) {
  return M.rows() == 0 ? Verdict::yes : copositivity(M).strictly(entry_rounding(M));
}

bool is_N_matrix(const MatrixXd& M) {
  const Index n = M.rows();
  assert(n <= 20 && "2ⁿ minors");
  for (unsigned long subset = 1; subset < (1UL << n); ++subset) {
    std::vector<Index> on;
    for (Index i = 0; i < n; ++i) {
      if ((subset >> i & 1UL) != 0) on.push_back(i);
    }
    if (!(MatrixXd(M(on, on)).determinant() < 0)) return false;
  }
  return true;
}

// Along one coordinate of d the matrix in the norm moves on a straight line: with B(1) at d_i = 1
// and s = (1 − d_i)/d_i it is
//     B(d_i) = B(1) − s/(1 + s g) u vᵀ,   g > 0 for a P-matrix M.
// A norm is convex, so the maximum over the cube is at a corner, where D picks the rows and columns
// α and the norm is ‖M_αα⁻¹‖₂. And σ_min(M_αα) ≥ λ_min of the symmetric part of M_αα ≥ that of M.
double beta_2(const MatrixXd& M) {
  const Index n = M.rows();
  if (n == 0) return 0;
  if (M.isApprox(M.transpose(), 1e-14)) return 1 / sigma_min(M);
  if (n > exact_beta) {
    const double smallest = definiteness(M).smallest;
    return smallest > 0 ? 1 / smallest : std::numeric_limits<double>::infinity();
  }
  double least = std::numeric_limits<double>::infinity();
  for (unsigned long corner = 1; corner < (1UL << n); ++corner) {
    std::vector<Index> on;
    for (Index i = 0; i < n; ++i) {
      if ((corner >> i & 1UL) != 0) on.push_back(i);
    }
    least = std::min(least, sigma_min(M(on, on)));
  }
  return 1 / least;
}

double sigma_max(const MatrixXd& M) {
  if (M.size() == 0) return 0;
  return M.jacobiSvd().singularValues().maxCoeff();
}

double sigma_min(const MatrixXd& M) {
  if (M.size() == 0) return std::numeric_limits<double>::infinity();
  return M.jacobiSvd().singularValues().minCoeff();
}

}  // namespace talus
