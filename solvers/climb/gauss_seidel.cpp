// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/gauss_seidel.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "solvers/problem/rolling_blocks.hpp"
#include "solvers/problem/rolling_island.hpp"

namespace talus {

namespace {

constexpr int window = 5;                 // changes Anderson remembers
constexpr int sweeps_unaccelerated = 3;   // at first
constexpr int sweeps_between_looks = 10;  // at the true error, at most
constexpr double trace_share = 1e-10;

template <int D>
Eigen::Map<Eigen::VectorXd> flat(std::vector<Vec<D>>& x) {
  return {x.data()->data(), static_cast<Eigen::Index>(D * x.size())};
}

}  // namespace

template <int D, class Problem>
GaussSeidel<D, Problem>::GaussSeidel(const Problem& problem, Method method)
    : problem_(problem), motion_(problem), method_(method), weight_(D * problem.size()) {
  local_.reserve(problem.size());
  W_ii_.reserve(problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    local_.emplace_back(problem.own_block(i));
    W_ii_.push_back(local_.back().matrix());
    weight_.template segment<D>(static_cast<Eigen::Index>(D * i))
        .setConstant(std::sqrt(local_.back().W_N));
  }
}

template <int D, class Problem>
void GaussSeidel<D, Problem>::visit(std::size_t i, std::vector<Vec<D>>& p) {
  const Vec<D> u = motion_.velocity(i, p), before = p[i];
  if (problem_.is_bilateral(i)) {
    const RowBounds& bounds = problem_.bounds_of(i);
    p[i][0] = std::clamp(p[i][0] - u[0] / local_[i].W_N, bounds.lower, bounds.upper);
  } else {
    // û = W_ii p + q with the very block the local solve uses, so that the fixed point is that of
    // the matrix given, symmetric or not.
    const Vec<D> q = u - W_ii_[i] * p[i];
    if constexpr (requires { problem_.solve(i, local_[i], q); }) {
      p[i] = problem_.solve(i, local_[i], q);
    } else {
      p[i] = problem_.law_of(i).solve(local_[i], q);
    }
  }
  motion_.add(i, p[i] - before);
}

template <int D, class Problem>
void GaussSeidel<D, Problem>::sweep(std::vector<Vec<D>>& p, bool backward) {
  motion_.start(p);
  if (backward) {
    for (std::size_t i = p.size(); i-- > 0;) visit(i, p);
  } else {
    for (std::size_t i = 0; i < p.size(); ++i) visit(i, p);
  }
}

template <int D, class Problem>
void GaussSeidel<D, Problem>::extrapolate(Eigen::Ref<Eigen::VectorXd> next) {
  const Eigen::Index n = f_.size();
  if (dF_.rows() != n) {
    dF_.resize(n, window);
    dG_.resize(n, window);
    gram_.setZero(window, window);
  }
  if (kept_ > 0 && f_norm_ > 2 * f_norm_last_) {  // the extrapolation led astray: forget it
    kept_ = slot_ = 0;
    sweeps_ = 1;
    return;
  }
  if (sweeps_ >= 2) {
    dF_.col(slot_) = f_ - f_last_;
    dG_.col(slot_) = g_ - g_last_;
    kept_ = std::min(kept_ + 1, window);
    for (int k = 0; k < kept_; ++k)
      gram_(k, slot_) = gram_(slot_, k) = dF_.col(k).dot(dF_.col(slot_));
    slot_ = (slot_ + 1) % window;
  }
  if (kept_ == 0 || sweeps_ < sweeps_unaccelerated) return;
  Eigen::MatrixXd normal = gram_.topLeftCorner(kept_, kept_);
  normal.diagonal().array() += trace_share * normal.trace();
  const Eigen::VectorXd gamma = normal.ldlt().solve(dF_.leftCols(kept_).transpose() * f_);
  if (gamma.allFinite()) next.noalias() -= dG_.leftCols(kept_) * gamma;
}

template <int D, class Problem>
void GaussSeidel<D, Problem>::accelerate(std::vector<Vec<D>>& p) {
  f_last_.swap(f_);
  g_last_.swap(g_);
  f_norm_last_ = f_norm_;
  g_ = flat<D>(p);
  f_ = weight_.cwiseProduct(g_ - flat<D>(start_));
  f_norm_ = f_.norm();
  ++sweeps_;
  if (method_ == Method::anderson) {
    extrapolate(flat<D>(p));
  } else {
    // No projection on the cone: the next sweep restores it.
    const double beta =
        sweeps_ < 2 || f_norm_last_ == 0 ? 0 : f_norm_ * f_norm_ / (f_norm_last_ * f_norm_last_);
    if (sweeps_ < 2 || beta > 1) {
      direction_ = Eigen::VectorXd::Zero(f_.size());
    } else {
      flat<D>(p) += beta * direction_;
      direction_ = beta * direction_ + (g_ - flat<D>(start_));
    }
  }
}

template <int D, class Problem>
int GaussSeidel<D, Problem>::run(std::vector<Vec<D>>& p, const RungLimits& limits, Best<D>& best) {
  const bool accelerated = method_ == Method::anderson || method_ == Method::nncg;
  std::vector<Vec<D>> u;
  double reference = best.error;  // what patience is measured against
  int since_reference = 0;
  // The change of a sweep costs nothing and falls with the error; their ratio at the last check
  // tells when the next one is due. It never stops the solve.
  double ratio = 0;
  int since_check = 0;
  for (int k = 1; k <= limits.iterations; ++k) {
    start_ = p;
    sweep(p, method_ == Method::alternating && k % 2 == 0);
    const double change = (weight_.cwiseProduct(flat<D>(p) - flat<D>(start_))).norm();
    ++since_check;
    if (ratio == 0 || change * ratio <= limits.tolerance || since_check >= sweeps_between_looks ||
        k == limits.iterations) {
      problem_.velocities(p, u);
      const double error = problem_.error(p, u);
      since_reference += since_check;
      since_check = 0;
      ratio = change > 0 && k > 1 ? error / change : 0;
      best.offer(p, error);
      if (best.error <= limits.tolerance) return k;
      if (best.error < 0.9 * reference) {
        reference = best.error;
        since_reference = 0;
      }
      if (since_reference >= sweep_patience || limits.deadline.passed()) return k;
    }
    if (accelerated) accelerate(p);
  }
  return limits.iterations;
}

template class GaussSeidel<2>;
template class GaussSeidel<3>;
template class GaussSeidel<2, FactoredProblem<2>>;
template class GaussSeidel<3, FactoredProblem<3>>;
template class GaussSeidel<wrench_dim<2>, RollingBlocks<2>>;
template class GaussSeidel<wrench_dim<3>, RollingBlocks<3>>;
template class GaussSeidel<wrench_dim<2>, RollingIsland<2>>;
template class GaussSeidel<wrench_dim<3>, RollingIsland<3>>;

}  // namespace talus
