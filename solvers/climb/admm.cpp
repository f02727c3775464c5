// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/admm.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {
// Small: where all contacts stick, the first solve is then all but the answer.
constexpr double first_rho = 0.01;
constexpr int iterations_between_balances = 20;
// To rounding. W given with few digits is not.
template <int D>
bool is_symmetric(const DelassusOperator<D>& W) {
  const std::size_t n = W.row_start.size() - 1;
  double largest = 0, skew = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
      const std::size_t j = static_cast<std::size_t>(W.column[k]);
      if (j > i) continue;
      const auto first = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[j]);
      const auto last = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[j + 1]);
      const auto mirror = std::lower_bound(first, last, static_cast<int>(i));
      if (mirror == last || *mirror != static_cast<int>(i)) return false;
      const Mat<D>& other = W.block[static_cast<std::size_t>(mirror - W.column.begin())];
      largest = std::max(largest, W.block[k].cwiseAbs().maxCoeff());
      skew = std::max(skew, (W.block[k] - other.transpose()).cwiseAbs().maxCoeff());
    }
  }
  return skew <= 1e-11 * largest;
}

}  // namespace

template <int D>
Admm<D>::Admm(const BlockProblem<D>& problem, BlockLu<D>& lu)
    : problem_(problem), lu_(lu), symmetric_(is_symmetric<D>(problem.W)), A_(problem.W) {}

template <int D>
double Admm<D>::cost(int iterations) const {
  const double factor = D * lu_.block_products() * (symmetric_ ? 0.5 : 1.0);
  return factor + iterations * 2 * static_cast<double>(lu_.blocks());
}

template <int D>
bool Admm<D>::factorise(double rho) {
  A_.block = problem_.W.block;
  for (std::size_t i = 0; i < problem_.size(); ++i)
    A_.block[problem_.diagonal[i]].diagonal() += Vec<D>::Constant(rho / (2 * problem_.r[i]));
  return symmetric_ ? lu_.factorise_symmetric(A_) : lu_.factorise(A_);
}

template <int D>
int Admm<D>::run(const RungLimits& limits, Best<D>& best) {
  const std::size_t n = problem_.size();
  std::vector<Vec<D>> x = best.p, y = best.p, w(n), u, rhs(n);
  double rho = first_rho;
  if (!factorise(rho)) return 0;
  // At a solution x = y and R w = −(û + μ‖û_T‖ n).
  problem_.velocities(y, u);
  const auto slide = [&](std::size_t i) {
    return problem_.bilateral[i] ? 0.0
                                 : problem_.law[i].mu * rho / (2 * problem_.r[i]) *
                                       w[i].template tail<D - 1>().norm();
  };
  for (std::size_t i = 0; i < n; ++i) {
    w[i] = -u[i];
    if (!problem_.bilateral[i]) w[i][0] -= problem_.law[i].mu * u[i].template tail<D - 1>().norm();
    w[i] *= 2 * problem_.r[i] / rho;
  }
  double primal_sum = 0, dual_sum = 0;  // since the last balance
  for (int k = 1; k <= limits.iterations; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      rhs[i] = rho / (2 * problem_.r[i]) * (y[i] - w[i]) - problem_.b[i];
      rhs[i][0] -= slide(i);
    }
    lu_.solve(rhs);
    x.swap(rhs);
    double primal = 0, dual = 0;  // ‖x − y‖² and ‖y − y_last‖², in velocities
    for (std::size_t i = 0; i < n; ++i) {
      const Vec<D> last = y[i];
      y[i] = problem_.bilateral[i] ? x[i] + w[i] : problem_.law[i].project(x[i] + w[i]);
      w[i] += x[i] - y[i];
      primal += (x[i] - y[i]).squaredNorm() / (problem_.r[i] * problem_.r[i]);
      dual += (y[i] - last).squaredNorm() / (problem_.r[i] * problem_.r[i]);
    }
    primal_sum += primal;
    dual_sum += dual;
    const bool promising =
        std::sqrt(std::max(primal, dual)) <= 100 * limits.tolerance * problem_.scale;
    if (promising || k % iterations_between_balances == 0 || k == limits.iterations) {
      problem_.velocities(y, u);
      best.offer(y, problem_.error(y, u));
      if (best.error <= limits.tolerance || limits.deadline.passed()) return k;
    }
    if (k % iterations_between_balances == 0) {
      // Balance: a large ρ holds x and y together, a small one lets them move.
      const double factor =
          std::clamp(std::pow(primal_sum / (rho * rho * dual_sum), 0.25), 0.1, 10.0);
      primal_sum = dual_sum = 0;
      if (factor > 2 || factor < 0.5) {
        rho *= factor;
        for (Vec<D>& multiplier : w) multiplier /= factor;
        if (!std::isfinite(rho) || !factorise(rho)) return k;
      }
    }
  }
  return limits.iterations;
}

template class Admm<2>;
template class Admm<3>;

}  // namespace talus
