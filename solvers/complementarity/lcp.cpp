// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/lcp.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "solvers/complementarity/cell.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = 1e-11;  // what counts as zero, relative to the data

// Lemke's tableau, one row per basic variable and one column per other one, the artificial z₀ among
// them, and the right-hand side last: n (n + 2) numbers, of which a pivot changes all. Variables
// are numbered w (n), z (n), z₀.
class LemkeTableau {
 public:
  LemkeTableau(const MatrixXd& M, const VectorXd& q, double noise)
      : n_(q.size()), noise_(noise), T_(n_, n_ + 2), variable_of_row_(at(n_)) {
    T_.leftCols(n_) = -M;
    T_.col(n_).setConstant(-1);
    T_.col(n_ + 1) = q;
    std::iota(variable_of_row_.begin(), variable_of_row_.end(), Index{0});
    row_of_.assign(at(2 * n_ + 1), -1);
    column_of_.assign(at(2 * n_ + 1), -1);
    for (Index i = 0; i < n_; ++i) row_of_[at(i)] = i;
    for (Index i = 0; i <= n_; ++i) column_of_[at(n_ + i)] = i;
    zero_ = rounding * std::max(1.0, M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0);
  }

  Index artificial() const { return 2 * n_; }
  double value(Index row) const { return T_(row, n_ + 1); }
  Index basic(Index row) const { return variable_of_row_[at(row)]; }

  // Row of the lexicographically smallest quotient; with `first`, the row in which the artificial
  // variable enters, which must make all values lexicographically positive. −1: a ray.
  Index leaving_row(Index entering, bool first) const {
    const Index column = column_of_[at(entering)];
    const double tiny = std::max(zero_, noise_ * T_.col(column).cwiseAbs().maxCoeff());
    Index best = -1;
    for (Index i = 0; i < n_; ++i) {
      const double pivot = T_(i, column);
      if (first ? pivot >= 0 : pivot <= tiny) continue;
      // Entering first, the artificial variable must lift the lexicographically least row to zero.
      if (best < 0 || (first ? less(best, i, column) : less(i, best, column))) best = i;
    }
    if (first || best < 0) return best;
    // The artificial variable leaves whenever it may: that is the end of the method.
    const Index last = row_of_[at(artificial())];
    if (last >= 0 && T_(last, column) > tiny) {
      const double ratio = value(last) / T_(last, column);
      const double best_ratio = value(best) / T_(best, column);
      if (ratio <= best_ratio + rounding * (1 + std::abs(best_ratio))) return last;
    }
    return best;
  }

  // Exchanges the variable of a row for the one that enters, and returns it.
  Index pivot(Index row, Index entering) {
    const Index column = column_of_[at(entering)], leaving = basic(row);
    const double pivot = T_(row, column);
    column_ = T_.col(column);
    column_[row] = 0;
    T_.col(column).setZero();
    T_(row, column) = 1;
    T_.row(row) /= pivot;
    // T ← T − column rowᵀ, by columns, as they lie in memory.
    for (Index j = 0; j < T_.cols(); ++j) {
      const double factor = T_(row, j);
      if (factor != 0) T_.col(j) -= factor * column_;
    }
    variable_of_row_[at(row)] = entering;
    row_of_[at(entering)] = row;
    column_of_[at(entering)] = -1;
    row_of_[at(leaving)] = -1;
    column_of_[at(leaving)] = column;
    return leaving;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // (q, B⁻¹)_i / T_ie before (q, B⁻¹)_j / T_je in lexicographic order; the columns of w are B⁻¹.
  bool less(Index i, Index j, Index column) const {
    const double pi = T_(i, column), pj = T_(j, column);
    double a = value(i) / pi, b = value(j) / pj;
    double tolerance = rounding * (1 + std::max(std::abs(a), std::abs(b)));
    if (a < b - tolerance) return true;
    if (a > b + tolerance) return false;
    for (Index k = 0; k < n_; ++k) {
      a = inverse(i, k) / pi;
      b = inverse(j, k) / pj;
      tolerance = rounding * (1 + std::max(std::abs(a), std::abs(b)));
      if (a < b - tolerance) return true;
      if (a > b + tolerance) return false;
    }
    return false;
  }
  double inverse(Index row, Index k) const {
    const Index column = column_of_[at(k)];
    if (column >= 0) return T_(row, column);
    return row_of_[at(k)] == row ? 1 : 0;
  }

  Index n_;
  double noise_;  // in a column, of its largest entry
  MatrixXd T_;
  VectorXd column_;
  std::vector<Index> variable_of_row_;
  std::vector<Index> row_of_, column_of_;  // of each variable; −1 in one of the two
  double zero_;
};

// What counts as noise in the column of an entering variable, relative to its largest entry. Where
// many constraints depend on each other, pivots that should be zero are not, and one of them taken
// leads astray: then it is tried again with more.
constexpr double pivot_noise[] = {0, 1e-10, 1e-8, 1e-6};
constexpr double not_astray = 1e-9;  // error of the equations, relative to their terms

// Lemke's path from the first pivot to its end. Ends on the pivot limit also where rounding has led
// astray: the values found do not solve w = M z + z₀ + q, or are negative.
LemkeAnswer follow_path(const MatrixXd& M, const VectorXd& q, double noise) {
  const Index n = q.size();
  LemkeTableau tableau(M, q, noise);
  LemkeAnswer answer;
  const int limit = 20 * static_cast<int>(n) + 1000;
  Index entering = tableau.artificial();
  Index row = tableau.leaving_row(entering, true);
  bool ray = false;
  answer.end = LemkeEnd::pivot_limit;
  while (!ray) {
    const Index leaving = tableau.pivot(row, entering);
    if (leaving == tableau.artificial()) break;
    if (++answer.pivots == limit) return answer;
    entering = leaving < n ? leaving + n : leaving - n;  // the complement of what left
    row = tableau.leaving_row(entering, false);
    ray = row < 0;
  }

  answer.z = VectorXd::Zero(n);
  VectorXd w = VectorXd::Zero(n);
  double artificial = 0;
  for (Index i = 0; i < n; ++i) {
    const Index variable = tableau.basic(i);
    if (variable == tableau.artificial())
      artificial = tableau.value(i);
    else
      (variable < n ? w[variable] : answer.z[variable - n]) = tableau.value(i);
  }
  answer.w = M * answer.z + q;
  const double largest = answer.z.cwiseAbs().maxCoeff();
  const double scale =
      q.cwiseAbs().maxCoeff() + std::abs(artificial) + M.cwiseAbs().maxCoeff() * largest;
  const double off = (w - answer.w - VectorXd::Constant(n, artificial)).cwiseAbs().maxCoeff();
  if (!(off <= not_astray * scale) || w.minCoeff() < -not_astray * scale ||
      answer.z.minCoeff() < -not_astray * largest)
    return answer;
  // On a ray with an artificial variable that is rounding, it was to leave and lost a tie.
  answer.end = ray && artificial > 1e-13 * scale ? LemkeEnd::ray : LemkeEnd::solved;
  answer.z = answer.z.cwiseMax(0.0);
  answer.w = M * answer.z + q;
  return answer;
}

double scale_of(const MatrixXd& A, const VectorXd& b) {
  const double matrix = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  const double vector = b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0;
  return std::max({matrix, vector, 1e-300});
}

}  // namespace

LemkeAnswer solve_lemke(const MatrixXd& M, const VectorXd& q) {
  assert(M.rows() == q.size() && M.cols() == q.size() && "a square problem");
  LemkeAnswer answer;
  answer.z = VectorXd::Zero(q.size());
  answer.w = q;
  if (q.size() == 0 || q.minCoeff() >= 0) {
    answer.end = LemkeEnd::solved;
    return answer;
  }
  for (const double noise : pivot_noise) {
    answer = follow_path(M, q, noise);
    if (answer.end != LemkeEnd::pivot_limit) break;
  }
  return answer;
}

double lcp_residual(const MatrixXd& M, const VectorXd& q, const VectorXd& z) {
  if (q.size() == 0) return 0;
  const VectorXd w = M * z + q;
  return z.cwiseMin(w).cwiseAbs().maxCoeff() / std::max(q.cwiseAbs().maxCoeff(), 1e-300);
}

bool is_admissible(const MatrixXd& M, const VectorXd& q) {
  const Index n = q.size();
  assert(n <= 12 && "2ⁿ cells are searched");
  for (unsigned long support = 1; support < (1UL << n); ++support) {
    std::vector<Index> on, off;
    for (Index i = 0; i < n; ++i) ((support >> i & 1UL) != 0 ? on : off).push_back(i);
    // (M v)_on = 0, v_on ≥ 0, (M v)_off ≥ 0, qᵀv ≤ −1
    const auto m = static_cast<Index>(on.size());
    Cell v{M(on, on), MatrixXd(n + 1, m), VectorXd::Zero(m), VectorXd::Zero(n + 1), {}};
    v.C.topRows(m).setIdentity();
    v.C.middleRows(m, n - m) = M(off, on);
    v.C.bottomRows(1) = -q(on).transpose();
    v.d[n] = -1;
    if (find_point(v)) return false;
  }
  return true;
}

std::vector<LcpSolution> enumerate_lcp(const MatrixXd& M, const VectorXd& q) {
  const Index n = q.size();
  assert(n <= 20 && "2ⁿ systems are solved");
  std::vector<LcpSolution> solutions;
  for (unsigned long support = 0; support < (1UL << n); ++support) {
    std::vector<Index> on, off;
    for (Index i = 0; i < n; ++i) ((support >> i & 1UL) != 0 ? on : off).push_back(i);
    // z_on ≥ 0, w_on = 0, z_off = 0, w_off ≥ 0
    const auto k = static_cast<Index>(on.size());
    Cell cell{M(on, on), MatrixXd(n, k), q(on), VectorXd(n), {}};
    cell.C.topRows(k).setIdentity();
    cell.C.bottomRows(n - k) = M(off, on);
    cell.d.head(k).setZero();
    cell.d.tail(n - k) = q(off);
    const std::optional<CellPoints> points = find_points(cell);
    if (!points) continue;

    LcpSolution solution;
    solution.z = VectorXd::Zero(n);
    solution.z(on) = points->x.cwiseMax(0.0);
    solution.w = M * solution.z + q;
    solution.w(on).setZero();
    solution.freedom = points->freedom;
    const double z_scale = 1 + solution.z.cwiseAbs().maxCoeff();
    const double w_scale = scale_of(q, q) + scale_of(M, q) * solution.z.cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; ++i) {
      if (solution.z[i] <= 1e-9 * z_scale && solution.w[i] <= 1e-9 * w_scale) {
        solution.degenerate = true;
      }
    }
    const bool known = std::any_of(solutions.begin(), solutions.end(), [&](LcpSolution& other) {
      if ((other.z - solution.z).cwiseAbs().maxCoeff() > 1e-7 * z_scale) return false;
      other.freedom = std::max(other.freedom, solution.freedom);
      return true;
    });
    if (!known) solutions.push_back(std::move(solution));
  }
  return solutions;
}

}  // namespace talus
