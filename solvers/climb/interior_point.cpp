// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/problem/lorentz.hpp"

namespace talus {

namespace {

constexpr int patience = 20;           // outer iterations without gain
constexpr double frictionless = 1e-7;  // μ below which the cone is taken as a half-line

}  // namespace

template <int D>
InteriorPoint<D>::InteriorPoint(const BlockProblem<D>& problem, BlockLu<D>& lu)
    : problem_(problem), W_(problem.W), lu_(lu), S_(problem.size()), b_(problem.size()) {
  const std::size_t n = problem.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double tau = std::sqrt(2 * problem.r[i]), mu = problem.law[i].mu;
    if (problem.bilateral[i] || mu < frictionless) {
      S_[i].setZero();  // tangential components stay zero
      S_[i][0] = tau;
    } else {
      S_[i].setConstant(tau);
      S_[i][0] = tau / mu;
    }
    b_[i] = S_[i].cwiseProduct(problem.b[i]);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
      W_.block[k] = (S_[i].asDiagonal() * W_.block[k] *
                     S_[static_cast<std::size_t>(W_.column[k])].asDiagonal());
  A_ = W_;
}

template <int D>
double InteriorPoint<D>::slide_term(std::size_t i) const {
  return keep_slide_ ? kept_slide_[i] : z_[i].template tail<D - 1>().norm();
}

template <int D>
double InteriorPoint<D>::start() {
  double sum = 0;
  for (const Vec<D>& b : b_) sum += b.squaredNorm();
  size_ = std::sqrt(sum / static_cast<double>(problem_.size()));
  if (!(size_ > 0)) size_ = 1;
  x_.assign(problem_.size(), Vec<D>::Zero());
  z_ = x_;
  for (std::size_t i = 0; i < x_.size(); ++i)
    if (!problem_.bilateral[i]) x_[i][0] = z_[i][0] = size_;
  return size_;
}

template <int D>
void InteriorPoint<D>::residuals() {
  const std::size_t n = problem_.size();
  residual_.resize(n);
  slide_.resize(n);
  double sum = 0;
  int cones = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Vec<D> w = b_[i];
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
      w.noalias() += W_.block[k] * x_[static_cast<std::size_t>(W_.column[k])];
    residual_[i] = w - z_[i];
    slide_[i].setZero();  // derivative of ‖z_T‖
    if (problem_.bilateral[i]) continue;
    residual_[i][0] += slide_term(i);
    const double length = z_[i].template tail<D - 1>().norm();
    if (!keep_slide_ && length > 0)
      slide_[i].template tail<D - 1>() = z_[i].template tail<D - 1>() / length;
    sum += x_[i].dot(z_[i]);
    ++cones;
  }
  gap_ = cones > 0 ? sum / cones : 0;
}

// With Δz = (I + n gᵀ)(W Δx + residual), g the derivative of ‖z_T‖, and G Δx + G⁻¹ Δz = rhs:
//     [W + (I − n gᵀ) G²] Δx = −residual + (I − n gᵀ) G rhs
template <int D>
bool InteriorPoint<D>::factorise() {
  A_.block = W_.block;
  scaling_.resize(problem_.size());
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    Mat<D>& own = A_.block[problem_.diagonal[i]];
    if (problem_.bilateral[i]) {
      for (int k = 1; k < D; ++k) own(k, k) = 1;
      continue;
    }
    Scaling& s = scaling_[i];
    Lorentz<D>::scaling(x_[i], z_[i], s.G, s.G_inverse);
    s.lambda = s.G * x_[i];
    Mat<D> G2 = s.G * s.G;
    G2.row(0) -= slide_[i].transpose() * G2;
    own += G2;
  }
  return lu_.factorise(A_);
}

template <int D>
void InteriorPoint<D>::newton(std::vector<Vec<D>>& dx, std::vector<Vec<D>>& dz) {
  const std::size_t n = problem_.size();
  dx.resize(n);
  dz.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    dx[i] = -residual_[i];
    if (problem_.bilateral[i]) continue;
    Vec<D> scaled = scaling_[i].G * rhs_[i];
    scaled[0] -= slide_[i].dot(scaled);
    dx[i] += scaled;
  }
  lu_.solve(dx);
  for (std::size_t i = 0; i < n; ++i) {
    if (problem_.bilateral[i]) {
      dz[i].setZero();
      continue;
    }
    Vec<D> change = residual_[i];
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
      change.noalias() += W_.block[k] * dx[static_cast<std::size_t>(W_.column[k])];
    change[0] += slide_[i].dot(change);
    dz[i] = change;
  }
}

template <int D>
double InteriorPoint<D>::longest_step(const std::vector<Vec<D>>& dx,
                                      const std::vector<Vec<D>>& dz) const {
  double alpha = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (problem_.bilateral[i]) continue;
    alpha = std::min(
        {alpha, Lorentz<D>::longest_step(x_[i], dx[i]), Lorentz<D>::longest_step(z_[i], dz[i])});
  }
  return alpha;
}

template <int D>
int InteriorPoint<D>::iterate(const RungLimits& limits, double gap_end, Best<D>& best) {
  const std::size_t n = problem_.size();
  std::vector<Vec<D>> p(n), u, dx, dz, dx_affine, dz_affine;
  rhs_.resize(n);
  int short_steps = 0;
  for (int iteration = 0; iteration < limits.iterations; ++iteration) {
    residuals();
    for (std::size_t i = 0; i < n; ++i) p[i] = S_[i].cwiseProduct(x_[i]);
    problem_.velocities(p, u);
    best.offer(p, problem_.error(p, u));
    if (best.error <= limits.tolerance || !(gap_ > gap_end) || limits.deadline.passed())
      return iteration;

    if (!factorise()) return iteration;
    for (std::size_t i = 0; i < n; ++i)
      if (!problem_.bilateral[i]) rhs_[i] = -scaling_[i].lambda;
    newton(dx_affine, dz_affine);
    const double affine = std::min(1.0, longest_step(dx_affine, dz_affine));
    double affine_gap = 0;
    int cones = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (problem_.bilateral[i]) continue;
      affine_gap += (x_[i] + affine * dx_affine[i]).dot(z_[i] + affine * dz_affine[i]);
      ++cones;
    }
    const double ratio = cones > 0 ? std::max(affine_gap / (cones * gap_), 0.0) : 0;
    const double sigma = std::clamp(ratio * ratio * ratio, 1e-8, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (problem_.bilateral[i]) continue;
      const Scaling& s = scaling_[i];
      Vec<D> target = -Lorentz<D>::product(s.lambda, s.lambda) -
                      Lorentz<D>::product(s.G * dx_affine[i], s.G_inverse * dz_affine[i]);
      target[0] += sigma * gap_;
      rhs_[i] = Lorentz<D>::quotient(target, s.lambda);
    }
    newton(dx, dz);
    const double margin = std::clamp(1 - std::sqrt(gap_) / size_, 0.9, 0.995);
    const double alpha = std::min(1.0, margin * longest_step(dx, dz));
    short_steps = alpha < 0.01 ? short_steps + 1 : 0;
    if (!(alpha > 1e-10) || short_steps >= 5) return iteration;  // jammed, or not a number
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] += alpha * dx[i];
      z_[i] += alpha * dz[i];
    }
  }
  return limits.iterations;
}

template <int D>
int InteriorPoint<D>::run(const RungLimits& limits, Best<D>& best) {
  keep_slide_ = false;
  start();
  return iterate(limits, 0, best);
}

template <int D>
int InteriorPoint<D>::run_fixed_point(const RungLimits& limits, Best<D>& best) {
  const std::size_t n = problem_.size();
  keep_slide_ = true;
  kept_slide_.assign(n, 0);
  int iterations = 0;
  double gap_end = 1e-3;
  double last_change = std::numeric_limits<double>::infinity(), damping = 1;
  double milestone = best.error;
  int outer_since = 0;  // the best fell below 0.9 of the milestone
  while (iterations < limits.iterations && !limits.deadline.passed()) {
    const double size = start();
    RungLimits rest = limits;
    rest.iterations = limits.iterations - iterations;
    iterations += 1 + iterate(rest, gap_end * size * size, best);
    if (best.error < 0.9 * milestone) {
      milestone = best.error;
      outer_since = 0;
    }
    if (best.error <= limits.tolerance || ++outer_since > patience) break;
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double slide = z_[i].template tail<D - 1>().norm() - kept_slide_[i];
      kept_slide_[i] += damping * slide;
      change += slide * slide;
    }
    if (change > last_change) damping = std::max(damping / 2, 0.1);  // the term oscillates
    last_change = change;
    gap_end = std::clamp(0.01 * change / (static_cast<double>(n) * size * size), 1e-22, gap_end);
  }
  return iterations;
}

template class InteriorPoint<2>;
template class InteriorPoint<3>;

}  // namespace talus
