// All that differs between the plane and space: orientations, rotations, contact frames.
#pragma once

#include <cmath>
#include <vector>

#include "solvers/vec.hpp"

namespace talus {

// w + x i + y j + z k.
struct Quaternion {
  double w = 1;
  Vec<3> vec = Vec<3>::Zero();

  Vec<4> coefficients() const { return {w, vec[0], vec[1], vec[2]}; }
  Quaternion conjugate() const { return {w, -vec}; }
  double norm() const { return coefficients().norm(); }
  Quaternion normalized() const {
    const double length = norm();
    return {w / length, vec / length};
  }
  Mat<3> matrix() const;
  bool operator==(const Quaternion&) const = default;

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.vec.dot(b.vec), a.w * b.vec + b.w * a.vec + a.vec.cross(b.vec)};
  }
  // The vector v turned, q v q⁻¹ for a unit quaternion q.
  friend Vec<3> operator*(const Quaternion& q, const Vec<3>& v) {
    const Vec<3> t = 2 * q.vec.cross(v);
    return v + q.w * t + q.vec.cross(t);
  }
};

// Body-to-world rotation: an angle in the plane [rad], a unit quaternion in space.
template <int D>
struct Orientation;

template <>
struct Orientation<2> {
  double angle = 0;
};

template <>
struct Orientation<3> {
  Quaternion q;
};

// Of a rotation matrix.
Quaternion quaternion(const Mat<3>& rotation);

template <int D>
Mat<D> rotation_matrix(const Orientation<D>& orientation);

// exp(φ) ∘ orientation: turned by the world-frame rotation vector φ.
template <int D>
Orientation<D> rotated(const Orientation<D>& orientation, const Spin<D>& rotation_vector);

// A spin carried along when its body is turned by the rotation vector φ.
template <int D>
Spin<D> turned_spin(const Spin<D>& spin, const Spin<D>& rotation_vector);

// Rotation vector φ with from turned by φ giving to, ‖φ‖ ≤ π.
template <int D>
Spin<D> rotation_between(const Orientation<D>& from, const Orientation<D>& to);

// Right-handed orthonormal columns n, t₁(, t₂) for a unit normal n. Deterministic; continuous in n
// but for the sign switch at n_z = 0 in space.
template <int D>
Mat<D> frame_of_normal(const Vec<D>& n);

// In-space picture of plane quantities, for files and pictures: third component 0, rotation about
// z.
template <int D>
Vec<3> in_space(const Vec<D>& x);
template <int D>
Vec<3> spin_in_space(const Spin<D>& omega);
template <int D>
Quaternion quaternion(const Orientation<D>& orientation);

// World-frame inertia R J Rᵀ of a body-frame one.
template <int D>
SpinMat<D> turned_inertia(const Orientation<D>& orientation, const SpinMat<D>& J);

// A torque-free body turning for a time: the orientation and the spin after it. Angular momentum
// and kinetic energy are conserved to rounding (free_rotation in space.cpp gives the scheme).
template <int D>
struct Rotating {
  Orientation<D> orientation;
  Spin<D> spin;
};
template <int D>
Rotating<D> free_rotation(const Orientation<D>& orientation, const Spin<D>& spin,
                          const SpinMat<D>& J, const SpinMat<D>& J_inverse, double duration);

// Written for each dimension in space.cpp; who uses one must know before.
template <>
Mat<2> rotation_matrix(const Orientation<2>&);
template <>
Mat<3> rotation_matrix(const Orientation<3>&);
template <>
Mat<2> frame_of_normal(const Vec<2>&);
template <>
Mat<3> frame_of_normal(const Vec<3>&);

}  // namespace talus
