// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/proximal_newton.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/problem/friction_disc.hpp"
#include "solvers/problem/rolling_blocks.hpp"
#include "solvers/problem/rolling_island.hpp"

namespace talus {

namespace {

// One contact of F(p, u) = 0 and its derivative, dF = A dp + B du, with y = p − r u:
//     F_N = p_N − max(0, y_N),    F_k = p_k − proj(y_k; disc of radius c_k max(0, y_N) + d_k)
// for each part k of the percussion that a coefficient c_k bounds.
template <int N>
struct Linearised {
  Mat<N> A = Mat<N>::Zero(), B = Mat<N>::Zero();
  Vec<N> F;
};

template <int N, std::size_t K>
Linearised<N> linearise(const std::array<FrictionDisc, K>& discs, double r, const Vec<N>& p,
                        const Vec<N>& u) {
  Linearised<N> out;
  const Vec<N> y = p - r * u;
  const bool open = !(y[0] > 0);
  if (open) {
    out.F[0] = p[0];
    out.A(0, 0) = 1;
  } else {
    out.F[0] = r * u[0];
    out.B(0, 0) = r;
  }
  for (const FrictionDisc& disc : discs) {
    const int end = disc.first + disc.count;
    const double radius = disc.radius(y[0]), length = norm_on<N>(disc, y);
    if (length <= radius && radius > 0) {  // sticks
      for (int c = disc.first; c < end; ++c) {
        out.F[c] = r * u[c];
        out.B(c, c) = r;
      }
      continue;
    }
    const double shrink = length > 0 ? radius / length : 0;  // slides
    for (int c = disc.first; c < end; ++c) {
      const double t = length > 0 ? y[c] / length : 0;
      out.F[c] = p[c] - radius * t;
      if (!open) {
        out.A(c, 0) = -disc.coefficient * t;
        out.B(c, 0) = r * disc.coefficient * t;
      }
      for (int d = disc.first; d < end; ++d) {
        const double same = c == d ? 1 : 0;
        const double turn = shrink * (same - (length > 0 ? t * y[d] / length : 0));
        out.A(c, d) = same - turn;
        out.B(c, d) = r * turn;
      }
    }
  }
  return out;
}

// F = p − proj_[lower, upper](y) of a scalar row.
template <int N>
Linearised<N> linearise_row(const RowBounds& bounds, const Vec<N>& p, const Vec<N>& u, double r) {
  Linearised<N> out;
  out.F = p;
  out.A.setIdentity();
  const double y = p[0] - r * u[0];
  if (y < bounds.lower) {
    out.F[0] = p[0] - bounds.lower;
  } else if (y > bounds.upper) {
    out.F[0] = p[0] - bounds.upper;
  } else {
    out.F[0] = r * u[0];
    out.A(0, 0) = 0;
    out.B(0, 0) = r;
  }
  return out;
}

constexpr int steps_per_centre = 12;
constexpr int halvings = 6;
constexpr double solved_share = 0.1;  // share of the step's first error at which Newton stops
constexpr double epsilon_min = 1e-12, epsilon_max = 10;

}  // namespace

template <class Problem>
ProximalNewton<Problem>::ProximalNewton(const Problem& problem, const DelassusOperator<N>& W,
                                        BlockLu<N>& lu)
    : problem_(problem), W_(W), lu_(lu), A_(W) {
  for (std::size_t i = 0; i < problem.size(); ++i)
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      if (at(W.column[k]) == i) diagonal_.push_back(k);
}

template <class Problem>
double ProximalNewton<Problem>::cost() const {
  const double n = static_cast<double>(problem_.size());
  const double blocks = static_cast<double>(W_.block.size());
  // Forming B W, factorising, three products for the line search, and the contacts themselves.
  return N * (blocks + lu_.block_products()) + 3 * blocks + 10 * n;
}

template <class Problem>
double ProximalNewton<Problem>::step_error(const std::vector<Vec<N>>& p) {
  problem_.velocities(p, u_);
  for (std::size_t i = 0; i < p.size(); ++i)
    u_[i] += (epsilon_ / (2 * problem_.weight_of(i))) * (p[i] - centre_[i]);
  return problem_.error(p, u_);
}

template <class Problem>
bool ProximalNewton<Problem>::direction(const std::vector<Vec<N>>& p) {
  step_.resize(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double r = 2 * problem_.weight_of(i);  // 1 / mean diagonal
    const Linearised<N> contact = problem_.is_bilateral(i)
                                      ? linearise_row<N>(problem_.bounds_of(i), p[i], u_[i], r)
                                      : linearise<N>(discs_of(problem_.law_of(i)), r, p[i], u_[i]);
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
      A_.block[k].noalias() = contact.B * W_.block[k];
    A_.block[diagonal_[i]] += contact.A + (epsilon_ / r) * contact.B;
    step_[i] = -contact.F;
  }
  if (!lu_.factorise(A_)) return false;
  lu_.solve(step_);
  return std::all_of(step_.begin(), step_.end(), [](const auto& x) { return x.allFinite(); });
}

template <class Problem>
int ProximalNewton<Problem>::run(const RungLimits& limits, double epsilon, Best<N>& best) {
  std::vector<Vec<N>> p = best.p;
  epsilon_ = epsilon;
  double error = best.error;  // of p, in the problem itself
  int steps = 0;
  while (best.error > limits.tolerance && steps < limits.iterations && !limits.deadline.passed()) {
    centre_ = p;
    double e = step_error(p);
    const double target = std::max(solved_share * e, 0.3 * limits.tolerance);
    int tried = 0;
    bool solved = false;
    while (!solved && tried < steps_per_centre) {
      if (!direction(p)) break;
      ++tried;
      double length = 1, e_trial = 0;
      int k = 0;
      for (; k < halvings; ++k, length /= 2) {
        trial_.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) trial_[i] = p[i] + length * step_[i];
        e_trial = step_error(trial_);
        if (e_trial < (1 - 0.1 * length) * e) break;
      }
      if (k == halvings) break;
      p.swap(trial_);
      e = e_trial;
      solved = e <= target;
    }
    steps += std::max(tried, 1);
    problem_.velocities(p, u_);
    const double reached = problem_.error(p, u_);
    best.offer(p, reached);
    if (solved) {
      error = reached;
      if (tried <= 2) {
        epsilon_ *= 0.2;
      } else if (tried <= 4) {
        epsilon_ *= 0.5;
      }
      epsilon_ = std::max(epsilon_, epsilon_min);
    } else {
      if (reached <= 2 * error) {
        error = reached;
      } else {
        p = centre_;
      }
      if (epsilon_ >= epsilon_max && tried <= 1) break;
      epsilon_ = std::min(4 * epsilon_, epsilon_max);
    }
  }
  return steps;
}

template class ProximalNewton<BlockProblem<2>>;
template class ProximalNewton<BlockProblem<3>>;
template class ProximalNewton<RollingIsland<2>>;
template class ProximalNewton<RollingIsland<3>>;
template class ProximalNewton<RollingBlocks<2>>;
template class ProximalNewton<RollingBlocks<3>>;

}  // namespace talus
