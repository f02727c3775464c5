// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/space.hpp"

#include <cmath>

namespace talus {

namespace {

// Rotation vector → unit quaternion, accurate for small angles.
Eigen::Quaterniond exponential(const Vec<3>& phi) {
  const double angle = phi.norm();
  const double half_sinc = angle > 1e-4 ? std::sin(angle / 2) / angle : 0.5 - angle * angle / 48;
  Eigen::Quaterniond q;
  q.w() = std::cos(angle / 2);
  q.vec() = half_sinc * phi;
  return q;
}

}  // namespace

template <>
Mat<2> rotation_matrix(const Orientation<2>& orientation) {
  const double c = std::cos(orientation.angle), s = std::sin(orientation.angle);
  return Mat<2>{{c, -s}, {s, c}};
}

template <>
Mat<3> rotation_matrix(const Orientation<3>& orientation) {
  return orientation.q.toRotationMatrix();
}

template <>
Orientation<2> rotated(const Orientation<2>& orientation, const Spin<2>& rotation_vector) {
  return {orientation.angle + rotation_vector[0]};
}

template <>
Orientation<3> rotated(const Orientation<3>& orientation, const Spin<3>& rotation_vector) {
  return {(exponential(rotation_vector) * orientation.q).normalized()};
}

template <>
Spin<2> turned_spin<2>(const Spin<2>& spin, const Spin<2>&) {
  return spin;
}

template <>
Spin<3> turned_spin<3>(const Spin<3>& spin, const Spin<3>& rotation_vector) {
  return exponential(rotation_vector) * spin;
}

template <>
Spin<2> rotation_between(const Orientation<2>& from, const Orientation<2>& to) {
  return Spin<2>(std::remainder(to.angle - from.angle, 2 * M_PI));
}

template <>
Spin<3> rotation_between(const Orientation<3>& from, const Orientation<3>& to) {
  Eigen::Quaterniond q = to.q * from.q.conjugate();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double s = q.vec().norm();
  const double factor = s > 1e-9 ? 2 * std::atan2(s, q.w()) / s : 2;
  return factor * q.vec();
}

template <>
Mat<2> frame_of_normal(const Vec<2>& n) {
  return Mat<2>{{n[0], -n[1]}, {n[1], n[0]}};
}

// Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017): no square root, and no
// loss of accuracy for any direction.
template <>
Mat<3> frame_of_normal(const Vec<3>& n) {
  const double sign = std::copysign(1.0, n[2]);
  const double a = -1 / (sign + n[2]);
  const double b = n[0] * n[1] * a;
  Mat<3> frame;
  frame.col(0) = n;
  frame.col(1) = Vec<3>(1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
  frame.col(2) = Vec<3>(b, sign + n[1] * n[1] * a, -n[1]);
  return frame;
}

template <>
Vec<3> in_space<2>(const Vec<2>& x) {
  return {x[0], x[1], 0};
}
template <>
Vec<3> in_space<3>(const Vec<3>& x) {
  return x;
}
template <>
Vec<3> spin_in_space<2>(const Spin<2>& omega) {
  return {0, 0, omega[0]};
}
template <>
Vec<3> spin_in_space<3>(const Spin<3>& omega) {
  return omega;
}
template <>
Eigen::Quaterniond quaternion(const Orientation<2>& orientation) {
  return {std::cos(orientation.angle / 2), 0, 0, std::sin(orientation.angle / 2)};
}
template <>
Eigen::Quaterniond quaternion(const Orientation<3>& orientation) {
  return orientation.q;
}

template <>
SpinMat<2> turned_inertia(const Orientation<2>&, const SpinMat<2>& J) {
  return J;
}
template <>
SpinMat<3> turned_inertia(const Orientation<3>& orientation, const SpinMat<3>& J) {
  if (J == J(0, 0) * SpinMat<3>::Identity()) return J;  // isotropic: the same in all orientations
  const Mat<3> R = rotation_matrix(orientation);
  return R * J * R.transpose();
}

template <>
Rotating<2> free_rotation(const Orientation<2>& orientation, const Spin<2>& spin, const SpinMat<2>&,
                          const SpinMat<2>&, double duration) {
  return {rotated<2>(orientation, spin * duration), spin};
}

// Euler's equations Π̇ = Π × Ω, Π = J Ω in body axes, over a time t by the implicit rule
//     Ω̄ = J⁻¹ (Π₀ + Π₁)/2,   Π₁ = exp(−t Ω̄) Π₀,   R₁ = R₀ exp(t Ω̄).                          (1)
// R₁Π₁ = R₀Π₀, so angular momentum is conserved; Π₁ − Π₀ is orthogonal to Ω̄ (a rotation about Ω̄
// moves a vector across Ω̄), so (Π₁ − Π₀)·J⁻¹(Π₁ + Π₀)/2 = T₁ − T₀ vanishes: both to the accuracy to
// which (1) is solved, here rounding. Second order, time symmetric; exact when J is a multiple of
// I.
template <>
Rotating<3> free_rotation(const Orientation<3>& orientation, const Spin<3>& spin,
                          const SpinMat<3>& J, const SpinMat<3>& J_inverse, double duration) {
  const bool inertia_is_round =
      J(0, 0) == J(1, 1) && J(1, 1) == J(2, 2) && J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0;
  if (inertia_is_round || spin.isZero(0)) return {rotated<3>(orientation, spin * duration), spin};

  const Vec<3> start = J * (orientation.q.conjugate() * spin);
  Vec<3> end = start;
  Vec<3> mean_spin;
  constexpr int max_iterations = 100;  // a contraction by about duration·‖Ω‖ each
  for (int i = 0; i < max_iterations; ++i) {
    mean_spin = J_inverse * (0.5 * (start + end));
    const Vec<3> next = exponential(-duration * mean_spin) * start;
    const double change = (next - end).squaredNorm();
    end = next;
    if (change <= 1e-32 * start.squaredNorm()) break;
  }
  const Eigen::Quaterniond q = (orientation.q * exponential(duration * mean_spin)).normalized();
  return {{q}, q * (J_inverse * end)};
}

}  // namespace talus
