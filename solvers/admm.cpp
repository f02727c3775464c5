#include "solvers/admm.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {
constexpr double relaxation = 1.6;
constexpr int iterations_between_balances = 20;
}  // namespace

template <int D>
Admm<D>::Admm(const BlockProblem<D>& problem) : problem_(problem), A_(problem.W) {
  usable_ = lu_.analyse(problem.W);
}

template <int D>
bool Admm<D>::factorise(double rho) {
  A_.block = problem_.W.block;
  for (std::size_t i = 0; i < problem_.size(); ++i)
    A_.block[problem_.diagonal[i]].diagonal().array() += rho / (2 * problem_.r[i]);
  return lu_.factorise(A_);
}

template <int D>
int Admm<D>::run(const RungLimits& limits, Best<D>& best) {
  const std::size_t n = problem_.size();
  std::vector<Vec<D>> x = best.p, y = best.p, w(n), u, rhs(n);
  double rho = 1;
  if (!factorise(rho)) return 0;
  // At a solution x = y and R w = −(û + μ‖û_T‖ n).
  problem_.velocities(y, u);
  const auto slide = [&](std::size_t i) {
    return problem_.bilateral[i] ? 0.0 : problem_.law[i].mu * u[i].template tail<D - 1>().norm();
  };
  for (std::size_t i = 0; i < n; ++i) {
    w[i] = -u[i];
    w[i][0] -= slide(i);
    w[i] *= 2 * problem_.r[i] / rho;
  }
  double primal = 0, dual = 0;  // ‖x − y‖ and ‖y − y_last‖, in velocities
  for (int k = 1; k <= limits.iterations; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      rhs[i] = rho / (2 * problem_.r[i]) * (y[i] - w[i]) - problem_.b[i];
      rhs[i][0] -= slide(i);
    }
    lu_.solve(rhs);
    x.swap(rhs);
    for (std::size_t i = 0; i < n; ++i) {
      const Vec<D> ahead = relaxation * x[i] + (1 - relaxation) * y[i];
      const Vec<D> last = y[i];
      y[i] = problem_.bilateral[i] ? ahead + w[i] : problem_.law[i].project(ahead + w[i]);
      w[i] += ahead - y[i];
      primal += (x[i] - y[i]).squaredNorm() / (problem_.r[i] * problem_.r[i]);
      dual += (y[i] - last).squaredNorm() / (problem_.r[i] * problem_.r[i]);
    }
    problem_.velocities(y, u);
    best.offer(y, problem_.error(y, u));
    if (best.error <= limits.tolerance || limits.deadline.passed()) return k;
    if (k % iterations_between_balances == 0) {
      // Balance: a large ρ holds x and y together, a small one lets them move.
      const double factor =
          std::clamp(std::sqrt(std::sqrt(primal) / (rho * std::sqrt(dual))), 0.1, 10.0);
      primal = dual = 0;
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
