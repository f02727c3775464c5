// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/rolling.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/problem/friction_disc.hpp"

namespace talus {

namespace {

template <int D>
constexpr int disc_count = D;  // of discs_of

// What has no coefficient is held at zero: it is uncoupled from the rest.
template <int D>
struct Held {
  Held(const RollingCoulomb<D>& law, const WrenchMat<D>& whole, const Wrench<D>& given)
      : W(0.5 * (whole + whole.transpose())), q(given) {
    for (const FrictionDisc& disc : discs_of(law)) {
      if (disc.coefficient > 0) {
        discs[at(count++)] = disc;
        continue;
      }
      for (int c = disc.first; c < disc.first + disc.count; ++c) {
        W.row(c).setZero();
        W.col(c).setZero();
        W(c, c) = W(0, 0);
        q[c] = 0;
      }
    }
  }

  WrenchMat<D> W;
  Wrench<D> q;
  std::array<FrictionDisc, disc_count<D>> discs = {};
  int count = 0;  // of discs with a coefficient
};

// Newton on the multipliers. For α ≥ 0, one per disc, the x with y_N = 0 and y_k = −α_k x_k solves
//     (W + diag(0, α)) x = −q,
// and the law asks for α_k ≥ 0 ⟂ φ_k = c_k x_N/‖x_k‖ − 1 ≥ 0: three numbers at most. φ is linear in
// α where the discs are uncoupled and isotropic, as at balls.
template <int D>
class MultiplierNewton {
 public:
  explicit MultiplierNewton(const Held<D>& problem) : problem_(problem) {}

  // Whether it found x. From sticking first, then from further and further out, where p_N is that
  // without friction: coupling can make what sticks pull.
  bool run(Wrench<D>& x) {
    const double unit = problem_.W.trace();
    for (const double alpha : {0.0, 0.1 * unit, unit, 10 * unit, 100 * unit})
      if (run_from(alpha, x)) return true;
    return false;
  }

 private:
  static constexpr int discs = disc_count<D>;

  bool run_from(double alpha, Wrench<D>& x) {
    alpha_.fill(alpha);
    last_worst_ = std::numeric_limits<double>::infinity();
    evaluate();
    constexpr int most_iterations = 25;
    for (int i = 0; valid_ && i < most_iterations; ++i) {
      active_ = 0;
      double worst = 0;
      for (int k = 0; k < problem_.count; ++k) {
        if (!(phi_[at(k)] < 0 || alpha_[at(k)] > 0)) continue;
        active_list_[at(active_++)] = k;
        worst = std::max(worst, std::abs(phi_[at(k)]));
      }
      if (worst <= 4e-15 || (worst <= 1e-12 && worst >= 0.5 * last_worst_)) {
        x = x_;
        return true;
      }
      last_worst_ = worst;
      if (!step()) return false;
    }
    return false;
  }

  void evaluate() {
    WrenchMat<D> shifted = problem_.W;
    for (int k = 0; k < problem_.count; ++k) {
      const FrictionDisc& disc = problem_.discs[at(k)];
      for (int i = 0; i < disc.count; ++i) shifted(disc.first + i, disc.first + i) += alpha_[at(k)];
    }
    factors_.compute(shifted);
    x_ = factors_.solve(-problem_.q);
    // One step of refinement: W may be badly scaled.
    x_ += factors_.solve(-problem_.q - shifted * x_);
    valid_ = x_.allFinite() && x_[0] > 0;
    if (!valid_) return;
    for (int k = 0; k < problem_.count; ++k) {
      const FrictionDisc& disc = problem_.discs[at(k)];
      norm_[at(k)] = norm_on<wrench_dim<D>>(disc, x_);
      phi_[at(k)] = norm_[at(k)] > 0 ? disc.coefficient * x_[0] / norm_[at(k)] - 1
                                     : std::numeric_limits<double>::infinity();
    }
  }

  // α ← max(0, α − (∂φ/∂α)⁻¹ φ) over the discs that slide, shortened until x_N stays positive.
  bool step() {
    Mat<discs> jacobian = Mat<discs>::Identity();
    Vec<discs> phi = Vec<discs>::Zero();
    for (int j = 0; j < active_; ++j) {
      const FrictionDisc& by = problem_.discs[at(active_list_[at(j)])];
      Wrench<D> push = Wrench<D>::Zero();
      for (int c = by.first; c < by.first + by.count; ++c) push[c] = -x_[c];
      const Wrench<D> change = factors_.solve(push);
      for (int i = 0; i < active_; ++i) {
        const int k = active_list_[at(i)];
        const FrictionDisc& of = problem_.discs[at(k)];
        const double n = norm_[at(k)];
        const double along = dot_on<wrench_dim<D>>(of, x_, change);
        jacobian(i, j) = of.coefficient * (change[0] / n - x_[0] * along / (n * n * n));
      }
    }
    for (int i = 0; i < active_; ++i) phi[i] = phi_[at(active_list_[at(i)])];
    const Vec<discs> change = jacobian.partialPivLu().solve(-phi);
    if (!change.allFinite()) return false;
    const std::array<double, discs> before = alpha_;
    double share = 1;
    for (int tries = 0; tries < 8; ++tries, share *= 0.25) {
      for (int i = 0; i < active_; ++i) {
        const std::size_t k = at(active_list_[at(i)]);
        alpha_[k] = std::max(0.0, before[k] + share * change[i]);
      }
      evaluate();
      if (valid_) return true;
    }
    return false;
  }

  const Held<D>& problem_;
  std::array<double, discs> alpha_ = {}, phi_ = {}, norm_ = {};
  std::array<int, discs> active_list_ = {};
  int active_ = 0;
  double last_worst_ = std::numeric_limits<double>::infinity();
  bool valid_ = false;
  Wrench<D> x_;
  Eigen::PartialPivLU<WrenchMat<D>> factors_;
};

// The x of a disc of radius ρ that minimises ½ xᵀA x + g·x: −(A + α) x = g with the least α ≥ 0 for
// which x is in the disc. 1/‖x‖ is concave in α, so Newton comes from below.
Vec<2> least_in_disc(const Mat<2>& A, const Vec<2>& g, double radius) {
  Eigen::SelfAdjointEigenSolver<Mat<2>> eigen;
  eigen.computeDirect(A);
  const Vec<2> s = eigen.eigenvalues().cwiseMax(1e-300);
  const Vec<2> b = eigen.eigenvectors().transpose() * g;
  Vec<2> y = -b.cwiseQuotient(s);
  if (y.norm() > radius) {
    double alpha = std::max(0.0, b.norm() / radius - s[1]);
    for (int i = 0; i < 60; ++i) {
      y = -b.cwiseQuotient(s + Vec<2>::Constant(alpha));
      const double norm = y.norm();
      const double slope = y.cwiseAbs2().cwiseQuotient(s + Vec<2>::Constant(alpha)).sum();
      const double change = norm * norm / slope * (norm - radius) / radius;
      if (!(std::abs(change) > 1e-16 * (alpha + s[1]))) break;
      alpha = std::max(0.0, alpha + change);
    }
    y *= radius / y.norm();
  }
  return eigen.eigenvectors() * y;
}

// The slow and sure way: for every p_N the parts minimise ½ xᵀA x + h·x within their discs, block
// by block, and y_N(p_N), which is negative at 0 and positive far out, is brought to zero.
template <int D>
class NormalSearch {
 public:
  explicit NormalSearch(const Held<D>& problem) : problem_(problem) {}

  Wrench<D> run() {
    double low = 0, high = -problem_.q[0] / problem_.W(0, 0);
    double f_low = problem_.q[0], f_high = opening(high);
    for (int i = 0; f_high < 0 && i < 200; ++i) {
      low = high, f_low = f_high;
      high *= 2;
      f_high = opening(high);
    }
    // Bisection and the Illinois rule by turns.
    for (int i = 0; i < 200 && high - low > 4e-16 * high; ++i) {
      const double secant = low - f_low * (high - low) / (f_high - f_low);
      const double middle =
          i % 3 == 2 || !(secant > low && secant < high) ? 0.5 * (low + high) : secant;
      if (!(middle > low && middle < high)) break;
      const double f = opening(middle);
      if (f < 0) {
        low = middle, f_low = f;
        f_high *= 0.5;
      } else {
        high = middle, f_high = f;
        f_low *= 0.5;
      }
      if (f == 0) break;
    }
    return x_;
  }

 private:
  double opening(double p_N) {
    x_[0] = p_N;
    constexpr int most_rounds = 2000;
    for (int round = 0; round < most_rounds; ++round) {
      double moved = 0;
      for (int k = 0; k < problem_.count; ++k) {
        const Wrench<D> before = x_;
        relax(problem_.discs[at(k)], p_N);
        moved = std::max(moved, (x_ - before).norm());
      }
      if (moved <= 1e-15 * x_.norm()) break;
    }
    return problem_.q[0] + problem_.W.row(0).dot(x_);
  }

  // The part of one disc, the others held.
  void relax(const FrictionDisc& disc, double p_N) {
    const int i = disc.first, j = disc.first + 1;
    const double radius = disc.coefficient * p_N;
    const Wrench<D> y = problem_.q + problem_.W * x_;
    if (disc.count == 1) {
      x_[i] = std::clamp(x_[i] - y[i] / problem_.W(i, i), -radius, radius);
      return;
    }
    const Mat<2> A{{problem_.W(i, i), problem_.W(i, j)}, {problem_.W(j, i), problem_.W(j, j)}};
    const Vec<2> own(x_[i], x_[j]);
    const Vec<2> next = least_in_disc(A, Vec<2>(y[i], y[j]) - A * own, radius);
    x_[i] = next[0];
    x_[j] = next[1];
  }

  const Held<D>& problem_;
  Wrench<D> x_ = Wrench<D>::Zero();
};

}  // namespace

// The nearest x has p_N where the distance to all discs is least: the root of
//     p_N − z_N − Σ c_k max(0, ‖z_k‖ − c_k p_N),
// piecewise linear, increasing and concave, so that Newton from 0 arrives in as many steps as there
// are discs, and one.
template <int D>
Wrench<D> RollingCoulomb<D>::project(const Wrench<D>& z) const {
  const auto discs = discs_of(*this);
  std::array<double, disc_count<D>> norm;
  for (std::size_t k = 0; k < discs.size(); ++k) norm[k] = norm_on<wrench_dim<D>>(discs[k], z);
  double normal = 0;
  for (std::size_t i = 0; i <= discs.size(); ++i) {
    double sum = z[0], slope = 1;
    for (std::size_t k = 0; k < discs.size(); ++k) {
      const double c = discs[k].coefficient;
      if (!(norm[k] > c * normal)) continue;
      sum += c * norm[k];
      slope += c * c;
    }
    const double next = sum / slope;
    if (!(next > normal)) break;
    normal = next;
  }
  if (!(normal > 0)) return Wrench<D>::Zero();
  Wrench<D> nearest = z;
  nearest[0] = normal;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    const double bound = discs[k].coefficient * normal;
    if (norm[k] > bound) scale_on<wrench_dim<D>>(discs[k], bound / norm[k], nearest);
  }
  return nearest;
}

template <int D>
Wrench<D> RollingCoulomb<D>::solve(const WrenchMat<D>& W, const Wrench<D>& q) const {
  if (q[0] >= 0) return Wrench<D>::Zero();  // takes off
  const Held<D> problem(*this, W, q);
  Wrench<D> x;
  if (!MultiplierNewton<D>(problem).run(x)) x = NormalSearch<D>(problem).run();
  for (const FrictionDisc& disc : discs_of(*this))
    if (!(disc.coefficient > 0)) scale_on<wrench_dim<D>>(disc, 0, x);
  put_inside(x);
  return x;
}

template <int D>
double RollingCoulomb<D>::residual_squared(const Wrench<D>& y, const Wrench<D>& x,
                                           double rho) const {
  Wrench<D> y_tilde = y;
  for (const FrictionDisc& disc : discs_of(*this))
    y_tilde[0] += disc.coefficient * norm_on<wrench_dim<D>>(disc, y);
  const Wrench<D> z = x - rho * y_tilde;
  return (x - project(z)).squaredNorm() / (rho * rho);
}

template <int D>
void RollingCoulomb<D>::put_inside(Wrench<D>& x) const {
  if (!(x[0] > 0)) {
    if (!std::isnan(x[0])) x.setZero();
    return;
  }
  constexpr double shorter = 1 - 4 * std::numeric_limits<double>::epsilon();
  for (const FrictionDisc& disc : discs_of(*this)) {
    const double bound = disc.coefficient * x[0], length = norm_on<wrench_dim<D>>(disc, x);
    if (!(length > bound)) continue;
    scale_on<wrench_dim<D>>(disc, bound / length, x);
    for (int k = 0; k < 4 && norm_on<wrench_dim<D>>(disc, x) > bound; ++k)
      scale_on<wrench_dim<D>>(disc, shorter, x);
    if (norm_on<wrench_dim<D>>(disc, x) > bound) scale_on<wrench_dim<D>>(disc, 0, x);
  }
}

template struct RollingCoulomb<2>;
template struct RollingCoulomb<3>;

}  // namespace talus
