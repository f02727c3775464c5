#include "solvers/coulomb.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// The one-contact problem with the tangents turned so that the Schur complement W_T − w wᵀ/W_N is
// diagonal; friction is isotropic, so the law does not see the turn.
template <int D>
struct LocalProblem {
  using Tangent = Eigen::Matrix<double, D - 1, 1>;
  double W_N;  // normal–normal entry
  Tangent w;   // normal–tangent coupling
  Tangent s;   // eigenvalues of the Schur complement, > 0
  double c;    // −q_N > 0: closing velocity
  double g;    // c / W_N: percussion that stops it without friction
  Tangent b;   // tangential velocity left when the normal motion is stopped
  Eigen::Matrix<double, D - 1, D - 1> turn;  // from the turned tangents to the given ones
};

template <int D>
LocalProblem<D> prepare(const Mat<D>& W, const Vec<D>& q) {
  using Tangent = typename LocalProblem<D>::Tangent;
  LocalProblem<D> local;
  local.W_N = W(0, 0);
  const Tangent w =
      0.5 * (W.template block<D - 1, 1>(1, 0) + W.template block<1, D - 1>(0, 1).transpose());
  const Eigen::Matrix<double, D - 1, D - 1> S =
      W.template block<D - 1, D - 1>(1, 1) - w * w.transpose() / local.W_N;
  const double floor = 1e-15 * W.trace();
  if constexpr (D == 2) {
    local.turn(0, 0) = 1;
    local.s[0] = std::max(S(0, 0), floor);
  } else {
    const double off = 0.5 * (S(0, 1) + S(1, 0));
    const double angle = 0.5 * std::atan2(2 * off, S(0, 0) - S(1, 1));
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double mean = 0.5 * (S(0, 0) + S(1, 1));
    const double radius = std::hypot(0.5 * (S(0, 0) - S(1, 1)), off);
    local.turn << cosine, -sine, sine, cosine;
    local.s << std::max(mean + radius, floor), std::max(mean - radius, floor);
  }
  local.w = local.turn.transpose() * w;
  local.c = -q[0];
  local.g = local.c / local.W_N;
  local.b = local.turn.transpose() * q.template tail<D - 1>() + local.w * local.g;
  return local;
}

// Every α ≥ 0 gives a percussion with û_N = 0 and û_T = −α p_T:
//     p_T = −x,  x_i = b_i/(s_i + α),  p_N = g + w·x/W_N.
// Sliding is the root of μ p_N(α) = ‖x(α)‖: negative at 0 (no stick), positive at infinity, so it
// exists for every positive definite W. Newton runs on μ p_N/‖x‖ − 1, which is linear in α when s₁
// = s₂.
template <int D>
typename LocalProblem<D>::Tangent sliding_direction(const LocalProblem<D>& local, double mu) {
  using Tangent = typename LocalProblem<D>::Tangent;
  if constexpr (D == 2) {
    return Tangent(local.b[0] > 0 ? -1.0 : 1.0);
  } else {
    const auto& [W_N, w, s, c, g, b, turn] = local;
    const double s_min = s.minCoeff();
    const double b_norm = b.norm();
    double low = 0;
    double high = std::max(b_norm * (1 + mu * w.norm() / W_N) / (mu * g) - s_min, 0.0);
    const double s_mean = b.cwiseProduct(s).dot(b) / (b_norm * b_norm);
    double alpha = std::clamp((b_norm - mu * w.dot(b) / W_N) / (mu * g) - s_mean, low, high);
    Tangent x = b.cwiseQuotient((s.array() + alpha).matrix());
    for (int i = 0; i < 60; ++i) {
      const double x_norm = x.norm();
      const double bound = mu * (g + w.dot(x) / W_N);
      const double f = bound - x_norm;
      if (std::abs(f) <= 4e-16 * (std::abs(bound) + x_norm)) break;
      (f < 0 ? low : high) = alpha;
      const Tangent slope = -x.cwiseQuotient((s.array() + alpha).matrix());
      const double denominator = mu * w.dot(slope) / W_N * x_norm * x_norm - bound * x.dot(slope);
      double next = alpha - f * x_norm * x_norm / denominator;
      if (!(denominator > 0) || !(next > low && next < high)) {
        next =
            std::sqrt((s_min + low) * (s_min + high)) - s_min;  // bisection on the scale of s + α
      }
      if (next == alpha) break;
      alpha = next;
      x = b.cwiseQuotient((s.array() + alpha).matrix());
    }
    return -x / x.norm();
  }
}

}  // namespace

template <int D>
Vec<D> Coulomb<D>::project(const Vec<D>& p) const {
  const double tangential = p.template tail<D - 1>().norm();
  if (tangential <= mu * p[0]) return p;
  if (mu * tangential <= -p[0]) return Vec<D>::Zero();
  const double normal = (p[0] + mu * tangential) / (1 + mu * mu);
  Vec<D> nearest;
  nearest[0] = normal;
  nearest.template tail<D - 1>() = (mu * normal / tangential) * p.template tail<D - 1>();
  return nearest;
}

template <int D>
Vec<D> Coulomb<D>::solve(const Mat<D>& W, const Vec<D>& q) const {
  Vec<D> p = Vec<D>::Zero();
  if (q[0] >= 0) return p;  // takes off
  if (mu == 0) {
    p[0] = -q[0] / W(0, 0);
    return p;
  }
  const LocalProblem<D> local = prepare<D>(W, q);
  const auto x = local.b.cwiseQuotient(local.s).eval();
  const double stick = local.g + local.w.dot(x) / local.W_N;
  if (x.norm() <= mu * stick) {
    p[0] = stick;
    p.template tail<D - 1>() = -(local.turn * x);
    return p;
  }
  // Closed for whatever direction was reached: p on the cone's boundary and û_N = 0 to rounding.
  const auto d = sliding_direction<D>(local, mu);
  p[0] = local.c / (local.W_N + mu * local.w.dot(d));
  p.template tail<D - 1>() = mu * p[0] * (local.turn * d);
  return p;
}

template <int D>
double Coulomb<D>::residual(const Vec<D>& u_hat, const Vec<D>& p, double r) const {
  Vec<D> u_tilde = u_hat;
  u_tilde[0] += mu * u_hat.template tail<D - 1>().norm();
  return (p - project(p - r * u_tilde)).norm() / r;
}

template struct Coulomb<2>;
template struct Coulomb<3>;

}  // namespace talus
