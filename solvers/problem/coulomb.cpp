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
// Sliding is the root of μ p_N(α) = ‖x(α)‖: negative at 0 (no stick), positive at infinity, so it
// exists for every positive definite W. Newton runs on μ p_N/‖x‖ − 1, which is linear in α when s₁
// = s₂.
// Here g = −q_N/W_N stops the normal motion without friction, and b = q_T + w g is what tangential
// velocity is then left.
template <int D>
typename LocalBlock<D>::Tangent sliding_direction(const LocalBlock<D>& local, double g,
                                                  const typename LocalBlock<D>::Tangent& b,
                                                  double mu) {
  using Tangent = typename LocalBlock<D>::Tangent;
  if constexpr (D == 2) {
    return Tangent(b[0] > 0 ? -1.0 : 1.0);
  } else {
    const double W_N = local.W_N;
    const Tangent &w = local.w, &s = local.s;
    const double s_min = s.minCoeff();
    const double b_norm = b.norm();
    double low = 0;
    double high = std::max(b_norm * (1 + mu * w.norm() / W_N) / (mu * g) - s_min, 0.0);
    const double s_mean = b.cwiseProduct(s).dot(b) / (b_norm * b_norm);
    double alpha = std::clamp((b_norm - mu * w.dot(b) / W_N) / (mu * g) - s_mean, low, high);
    Tangent x = b.cwiseQuotient(s + Tangent::Constant(alpha));
    for (int i = 0; i < 60; ++i) {
      const double x_norm = x.norm();
      const double bound = mu * (g + w.dot(x) / W_N);
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
  const Tangent d = sliding_direction<D>(W, g, b, mu);
  p[0] = -q[0] / (W.W_N + mu * W.w.dot(d));
  p.template tail<D - 1>() = mu * p[0] * (W.turn * d);
  return p;
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
