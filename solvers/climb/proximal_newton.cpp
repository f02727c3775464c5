// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/proximal_newton.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// One contact of F(p, u) = 0 and its derivative, dF = A dp + B du, with y = p − r u:
//     F_N = p_N − max(0, y_N),    F_T = p_T − proj(y_T; disk of radius μ max(0, y_N)).
template <int D>
struct Linearised {
  Mat<D> A = Mat<D>::Zero(), B = Mat<D>::Zero();
  Vec<D> F;
};

template <int D>
Linearised<D> linearise(double mu, double r, const Vec<D>& p, const Vec<D>& u) {
  using Tangent = Vec<D - 1>;
  using TangentMatrix = Matrix<D - 1, D - 1>;
  Linearised<D> out;
  const double y_N = p[0] - r * u[0];
  if (!(y_N > 0)) {  // open
    out.F = p;
    out.A.setIdentity();
    return out;
  }
  out.F[0] = r * u[0];
  out.B(0, 0) = r;
  const Tangent y_T = p.template tail<D - 1>() - r * u.template tail<D - 1>();
  const double radius = mu * y_N, length = y_T.norm();
  if (length <= radius && mu > 0) {  // sticks
    out.F.template tail<D - 1>() = r * u.template tail<D - 1>();
    out.B.template block<D - 1, D - 1>(1, 1) = r * TangentMatrix::Identity();
    return out;
  }
  const Tangent t = length > 0 ? Tangent(y_T / length) : Tangent(Tangent::Zero());  // slides
  const TangentMatrix turn =
      (length > 0 ? radius / length : 0.0) * (TangentMatrix::Identity() - t * t.transpose());
  out.F.template tail<D - 1>() = p.template tail<D - 1>() - radius * t;
  out.A.template block<D - 1, D - 1>(1, 1) = TangentMatrix::Identity() - turn;
  out.B.template block<D - 1, D - 1>(1, 1) = r * turn;
  out.A.template block<D - 1, 1>(1, 0) = -mu * t;
  out.B.template block<D - 1, 1>(1, 0) = r * mu * t;
  return out;
}

// F = p − proj_[lower, upper](y) of a scalar row.
template <int D>
Linearised<D> linearise_row(const RowBounds& bounds, const Vec<D>& p, const Vec<D>& u, double r) {
  Linearised<D> out;
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
constexpr double enough = 0.1;  // share of the step's first error at which Newton stops
constexpr double epsilon_min = 1e-12, epsilon_max = 10;

}  // namespace

template <int D>
ProximalNewton<D>::ProximalNewton(const BlockProblem<D>& problem, BlockLu<D>& lu)
    : problem_(problem), lu_(lu), A_(problem.W) {}

template <int D>
double ProximalNewton<D>::cost() const {
  const double n = static_cast<double>(problem_.size());
  const double blocks = static_cast<double>(problem_.W.block.size());
  // Forming B W, factorising, three products for the line search, and the contacts themselves.
  return D * (blocks + lu_.block_products()) + 3 * blocks + 10 * n;
}

template <int D>
double ProximalNewton<D>::step_error(const std::vector<Vec<D>>& p) {
  problem_.velocities(p, u_);
  for (std::size_t i = 0; i < p.size(); ++i)
    u_[i] += (epsilon_ / (2 * problem_.r[i])) * (p[i] - centre_[i]);
  return problem_.error(p, u_);
}

template <int D>
bool ProximalNewton<D>::direction(const std::vector<Vec<D>>& p) {
  const DelassusOperator<D>& W = problem_.W;
  step_.resize(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double r = 2 * problem_.r[i];  // 1 / mean diagonal
    const Linearised<D> contact = problem_.bilateral[i]
                                      ? linearise_row<D>(problem_.bounds[i], p[i], u_[i], r)
                                      : linearise<D>(problem_.law[i].mu, r, p[i], u_[i]);
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      A_.block[k].noalias() = contact.B * W.block[k];
    A_.block[problem_.diagonal[i]] += contact.A + (epsilon_ / r) * contact.B;
    step_[i] = -contact.F;
  }
  if (!lu_.factorise(A_)) return false;
  lu_.solve(step_);
  return std::all_of(step_.begin(), step_.end(), [](const Vec<D>& x) { return x.allFinite(); });
}

template <int D>
int ProximalNewton<D>::run(const RungLimits& limits, double epsilon, Best<D>& best) {
  std::vector<Vec<D>> p = best.p;
  epsilon_ = epsilon;
  double error = best.error;  // of p, in the problem itself
  int steps = 0;
  while (best.error > limits.tolerance && steps < limits.iterations && !limits.deadline.passed()) {
    centre_ = p;
    double e = step_error(p);
    const double target = std::max(enough * e, 0.3 * limits.tolerance);
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

template class ProximalNewton<2>;
template class ProximalNewton<3>;

}  // namespace talus
