// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/coulomb.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// ‖x‖ of a tangential vector; in the plane without a root.
template <int N>
double length(const Vec<N>& x) {
  if constexpr (N == 1) {
    return std::abs(x[0]);
  } else {
    return x.norm();
  }
}

// Every α ≥ 0 gives a percussion with û_N = 0 and û_T = −α p_T:
//     p_T = −x,  x_i = b_i/(s_i + α),  p_N = g + w·x/W_N.
// Sliding is the root of μ p_N(α) + c = ‖x(α)‖: negative at 0 (no stick), positive at infinity
// where μ g + c > 0, so it exists for every positive definite W. Newton runs on
// (μ p_N + c)/‖x‖ − 1, which is linear in α when s₁ = s₂.
// Here g = −q_N/W_N stops the normal motion without friction, and b = q_T + w g is what tangential
// velocity is then left.
template <int D>
typename LocalBlock<D>::Tangent sliding_direction(const LocalBlock<D>& local, double g,
                                                  const typename LocalBlock<D>::Tangent& b,
                                                  const Coulomb<D>& law) {
  using Tangent = typename LocalBlock<D>::Tangent;
  if constexpr (D == 2) {
    return Tangent(b[0] > 0 ? -1.0 : 1.0);
  } else {
    const double W_N = local.W_N, mu = law.mu, limit = law.bound(g);
    const Tangent &w = local.w, &s = local.s;
    const double s_min = s.minCoeff();
    const double b_norm = b.norm();
    double low = 0;
    double high = std::max(b_norm * (1 + mu * w.norm() / W_N) / limit - s_min, 0.0);
    const double s_mean = b.cwiseProduct(s).dot(b) / (b_norm * b_norm);
    double alpha = std::clamp((b_norm - mu * w.dot(b) / W_N) / limit - s_mean, low, high);
    Tangent x = b.cwiseQuotient(s + Tangent::Constant(alpha));
    for (int i = 0; i < 60; ++i) {
      const double x_norm = x.norm();
      const double bound = law.bound(g + w.dot(x) / W_N);
      const double f = bound - x_norm;
      if (std::abs(f) <= 4e-16 * (std::abs(bound) + x_norm)) break;
      (f < 0 ? low : high) = alpha;
      const Tangent slope = -x.cwiseQuotient(s + Tangent::Constant(alpha));
      const double denominator = mu * w.dot(slope) / W_N * x_norm * x_norm - bound * x.dot(slope);
      double next = alpha - f * x_norm * x_norm / denominator;
      if (!(denominator > 0) || !(next > low && next < high)) {
        next =
            std::sqrt((s_min + low) * (s_min + high)) - s_min;  // bisection on the scale of s + α
      }
      if (next == alpha) break;
      alpha = next;
      x = b.cwiseQuotient(s + Tangent::Constant(alpha));
    }
    return -x / x.norm();
  }
}

// Percussion of what parts and is held by cohesion alone: ½ pᵀW_T p + q_T·p is least on the disc
// ‖p‖ ≤ c, W_T = S + w wᵀ/W_N. Newton on the secular equation 1/‖p(β)‖ = 1/c,
// p(β) = −(W_T + β)⁻¹ q_T, which goes up to its root without passing it.
template <int D>
typename LocalBlock<D>::Tangent held_by_cohesion(const LocalBlock<D>& local,
                                                 const typename LocalBlock<D>::Tangent& q_T,
                                                 double cohesion) {
  using Tangent = typename LocalBlock<D>::Tangent;
  typename LocalBlock<D>::TangentMatrix W_T = local.w * local.w.transpose() * local.W_N_inverse;
  W_T.diagonal() += local.s;
  Tangent p = -(W_T.inverse() * q_T);
  double size = p.norm();
  for (int i = 0; i < 60 && size > cohesion * (1 + 1e-15); ++i) {
    const Tangent slope = W_T.inverse() * p;
    const double shift = (size / cohesion - 1) * size * size / p.dot(slope);
    W_T.diagonal() += Tangent::Constant(shift);
    p = -(W_T.inverse() * q_T);
    size = p.norm();
  }
  if (size > cohesion) p *= cohesion / size;
  return p;
}

}  // namespace

template <int D>
LocalBlock<D>::LocalBlock(const Mat<D>& W) : W_N(W(0, 0)) {
  const Tangent coupling =
      0.5 * (W.col(0).template tail<D - 1>() + W.transpose().col(0).template tail<D - 1>());
  const TangentMatrix S =
      W.template block<D - 1, D - 1>(1, 1) - coupling * coupling.transpose() / W_N;
  const double floor = 1e-15 * W.trace();
  if constexpr (D == 2) {
    turn(0, 0) = 1;
    s[0] = std::max(S(0, 0), floor);
  } else {
    const double off = 0.5 * (S(0, 1) + S(1, 0));
    const double angle = 0.5 * std::atan2(2 * off, S(0, 0) - S(1, 1));
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double mean = 0.5 * (S(0, 0) + S(1, 1));
    const double radius = std::hypot(0.5 * (S(0, 0) - S(1, 1)), off);
    turn << cosine, -sine, sine, cosine;
    s = {std::max(mean + radius, floor), std::max(mean - radius, floor)};
  }
  w = turn.transpose() * coupling;
  W_N_inverse = 1 / W_N;
  s_inverse = s.cwiseInverse();
}

template <int D>
Mat<D> LocalBlock<D>::matrix() const {
  const Tangent coupling = turn * w;
  Mat<D> W;
  W(0, 0) = W_N;
  W.template block<D - 1, 1>(1, 0) = coupling;
  W.template block<1, D - 1>(0, 1) = coupling.transpose();
  W.template block<D - 1, D - 1>(1, 1) =
      turn * s.asDiagonal() * turn.transpose() + coupling * coupling.transpose() / W_N;
  return W;
}

template <int D>
Vec<D> Coulomb<D>::project(const Vec<D>& p) const {
  const double tangential = length<D - 1>(p.template tail<D - 1>());
  if (cohesion > 0) {
    Vec<D> nearest = p;
    if (p[0] >= 0 && tangential <= bound(p[0])) return nearest;
    nearest[0] = std::max((p[0] + mu * (tangential - cohesion)) / (1 + mu * mu), 0.0);
    if (const double most = bound(nearest[0]); tangential > most)
      nearest.template tail<D - 1>() *= most / tangential;
    return nearest;
  }
  if (mu * tangential <= -p[0]) return Vec<D>::Zero();  // before the next: at μ = 0 both may hold
  if (tangential <= mu * p[0]) return p;
  const double normal = (p[0] + mu * tangential) / (1 + mu * mu);
  Vec<D> nearest;
  nearest[0] = normal;
  if constexpr (D == 2) {
    nearest[1] = std::copysign(mu * normal, p[1]);
  } else {
    nearest.template tail<D - 1>() = (mu * normal / tangential) * p.template tail<D - 1>();
  }
  return nearest;
}

template <int D>
Vec<D> Coulomb<D>::solve(const LocalBlock<D>& W, const Vec<D>& q) const {
  if (cohesion > 0) return solve_cohesive(W, q);
  Vec<D> p = Vec<D>::Zero();
  if (q[0] >= 0) return p;  // takes off
  const double g = -q[0] * W.W_N_inverse;
  if (mu == 0) {
    p[0] = g;
    return p;
  }
  using Tangent = typename LocalBlock<D>::Tangent;
  const Tangent b = W.turn.transpose() * q.template tail<D - 1>() + W.w * g;
  const Tangent x = b.cwiseProduct(W.s_inverse);
  const double stick = g + W.w.dot(x) * W.W_N_inverse;
  if (length<D - 1>(x) <= mu * stick) {
    p[0] = stick;
    p.template tail<D - 1>() = -(W.turn * x);
    return p;
  }
  // Closed for whatever direction was reached: p on the cone's boundary and û_N = 0 to rounding.
  const Tangent d = sliding_direction<D>(W, g, b, *this);
  p[0] = -q[0] / (W.W_N + mu * W.w.dot(d));
  p.template tail<D - 1>() = mu * p[0] * (W.turn * d);
  return p;
}

template <int D>
Vec<D> Coulomb<D>::solve_cohesive(const LocalBlock<D>& W, const Vec<D>& q) const {
  using Tangent = typename LocalBlock<D>::Tangent;
  const double g = -q[0] * W.W_N_inverse;
  const Tangent q_T = W.turn.transpose() * q.template tail<D - 1>();
  const Tangent b = q_T + W.w * g;
  const Tangent x = b.cwiseProduct(W.s_inverse);
  const double stick = g + W.w.dot(x) * W.W_N_inverse;
  Vec<D> p = Vec<D>::Zero();
  const auto is = [&](double normal, const Tangent& tangential) {
    p[0] = normal;
    p.template tail<D - 1>() = W.turn * tangential;
    return p;
  };
  if (stick >= 0 && length<D - 1>(x) <= bound(stick)) return is(stick, -x);
  const Tangent held = held_by_cohesion<D>(W, q_T, cohesion);
  if (q[0] + W.w.dot(held) >= 0) return is(0, held);
  if (!(bound(g) > 0)) {
    // Coupling alone presses what would part: u_N of given p_N goes from < 0 to > 0. Bisection.
    const auto shear = [&](double p_N) {
      return held_by_cohesion<D>(W, q_T + W.w * p_N, bound(p_N));
    };
    double low = 0, high = W.w.norm() * held.norm() * W.W_N_inverse;
    const auto parts = [&](double p_N) { return q[0] + W.W_N * p_N + W.w.dot(shear(p_N)) > 0; };
    for (int i = 0; i < 60 && !parts(high); ++i) high *= 2;
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (low + high);
      (parts(middle) ? high : low) = middle;
    }
    return is(high, shear(high));
  }
  const Tangent d = sliding_direction<D>(W, g, b, *this);
  const double normal = std::max((-q[0] - cohesion * W.w.dot(d)) / (W.W_N + mu * W.w.dot(d)), 0.0);
  return is(normal, bound(normal) * d);
}

template <int D>
double Coulomb<D>::residual_squared(const Vec<D>& u_hat, const Vec<D>& p, double r) const {
  Vec<D> u_tilde = u_hat;
  u_tilde[0] += mu * length<D - 1>(u_hat.template tail<D - 1>());
  return (p - project(p - r * u_tilde)).squaredNorm() / (r * r);
}

template <int D>
double Coulomb<D>::residual(const Vec<D>& u_hat, const Vec<D>& p, double r) const {
  return std::sqrt(residual_squared(u_hat, p, r));
}

template struct LocalBlock<2>;
template struct LocalBlock<3>;
template struct Coulomb<2>;
template struct Coulomb<3>;

}  // namespace talus
