// SPDX-License-Identifier: Apache-2.0
// Everything that differs between two and three dimensions: orientations, rotations, contact
// frames.
#pragma once

#include <cmath>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

// Body-to-world rotation: an angle in the plane [rad], a unit quaternion in space.
template <int D>
struct Orientation;

template <>
struct Orientation<2> {
  double angle = 0;
};

template <>
struct Orientation<3> {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

template <int D>
Mat<D> rotation_matrix(const Orientation<D>& orientation);

// exp(φ) ∘ orientation: the orientation rotated by the world-frame rotation vector φ.
template <int D>
Orientation<D> rotated(const Orientation<D>& orientation, const Spin<D>& rotation_vector);

// A spin rotated together with its body by the rotation vector φ.
template <int D>
Spin<D> turned_spin(const Spin<D>& spin, const Spin<D>& rotation_vector);

// The rotation vector φ that takes `from` to `to`, ‖φ‖ ≤ π.
template <int D>
Spin<D> rotation_between(const Orientation<D>& from, const Orientation<D>& to);

// Right-handed orthonormal columns n, t₁(, t₂) for a unit normal n. Deterministic; continuous in n
// but for the sign switch at n_z = 0 in space.
template <int D>
Mat<D> frame_of_normal(const Vec<D>& n);

// Quantities of the plane embedded in space, for files and pictures: third component 0, rotation
// about z.
template <int D>
Vec<3> in_space(const Vec<D>& x);
template <int D>
Vec<3> spin_in_space(const Spin<D>& omega);
template <int D>
Eigen::Quaterniond quaternion(const Orientation<D>& orientation);

// Inertia in the world frame, R J Rᵀ, from the inertia J in the body frame.
template <int D>
SpinMat<D> turned_inertia(const Orientation<D>& orientation, const SpinMat<D>& J);

// Orientation and spin of a torque-free body after a time. Angular momentum and kinetic energy are
// conserved to rounding (free_rotation in space.cpp has the scheme).
template <int D>
struct Rotating {
  Orientation<D> orientation;
  Spin<D> spin;
};
template <int D>
Rotating<D> free_rotation(const Orientation<D>& orientation, const Spin<D>& spin,
                          const SpinMat<D>& J, const SpinMat<D>& J_inverse, double duration);

// Explicit specialisations, defined in space.cpp. They are declared here to prevent implicit
// instantiation.
template <>
Mat<2> rotation_matrix(const Orientation<2>&);
template <>
Mat<3> rotation_matrix(const Orientation<3>&);
template <>
Orientation<2> rotated(const Orientation<2>&, const Spin<2>&);
template <>
Orientation<3> rotated(const Orientation<3>&, const Spin<3>&);
template <>
Spin<2> turned_spin<2>(const Spin<2>&, const Spin<2>&);
template <>
Spin<3> turned_spin<3>(const Spin<3>&, const Spin<3>&);
template <>
Spin<2> rotation_between(const Orientation<2>&, const Orientation<2>&);
template <>
Spin<3> rotation_between(const Orientation<3>&, const Orientation<3>&);
template <>
Mat<2> frame_of_normal(const Vec<2>&);
template <>
Mat<3> frame_of_normal(const Vec<3>&);
template <>
Vec<3> in_space<2>(const Vec<2>&);
template <>
Vec<3> in_space<3>(const Vec<3>&);
template <>
Vec<3> spin_in_space<2>(const Spin<2>&);
template <>
Vec<3> spin_in_space<3>(const Spin<3>&);
template <>
Eigen::Quaterniond quaternion(const Orientation<2>&);
template <>
Eigen::Quaterniond quaternion(const Orientation<3>&);
template <>
SpinMat<2> turned_inertia(const Orientation<2>&, const SpinMat<2>&);
template <>
SpinMat<3> turned_inertia(const Orientation<3>&, const SpinMat<3>&);
template <>
Rotating<2> free_rotation(const Orientation<2>&, const Spin<2>&, const SpinMat<2>&,
                          const SpinMat<2>&, double);
template <>
Rotating<3> free_rotation(const Orientation<3>&, const Spin<3>&, const SpinMat<3>&,
                          const SpinMat<3>&, double);

}  // namespace talus
