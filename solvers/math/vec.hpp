// SPDX-License-Identifier: Apache-2.0
// Small vectors of mechanics in D = 2 or 3 dimensions. Contact-frame vectors hold the normal
// component first, then the tangential ones (N, T₁(, T₂)), as FCLib does.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "solvers/math/index.hpp"

namespace talus {

// Eigen leaves what is not set on construction unset, `{}` and vectors of vectors included.
template <int R, int C>
using Matrix = Eigen::Matrix<double, R, C>;

template <int D>
using Vec = Matrix<D, 1>;

template <int D>
using Mat = Matrix<D, D>;

// Rotational freedoms: 1 in the plane, 3 in space.
template <int D>
constexpr int spin_dim = D*(D - 1) / 2;

template <int D>
using Spin = Vec<spin_dim<D>>;

template <int D>
using SpinMat = Matrix<spin_dim<D>, spin_dim<D>>;

// ω × r, the velocity at arm r of a body spinning at ω.
template <int D>
Vec<D> cross(const Spin<D>& omega, const Vec<D>& r) {
  if constexpr (D == 2) {
    return {-omega[0] * r[1], omega[0] * r[0]};
  } else {
    return {omega[1] * r[2] - omega[2] * r[1], omega[2] * r[0] - omega[0] * r[2],
            omega[0] * r[1] - omega[1] * r[0]};
  }
}

// r × f, the moment of a force f acting at arm r.
template <int D>
Spin<D> moment(const Vec<D>& r, const Vec<D>& f) {
  if constexpr (D == 2) {
    return Spin<2>(r[0] * f[1] - r[1] * f[0]);
  } else {
    return {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
  }
}

// The components of a spin or of a moment along the columns of a frame, and back. In the plane
// there is the one component about the normal of the plane.
template <int D>
Spin<D> spin_along(const Mat<D>& frame, const Spin<D>& world) {
  if constexpr (D == 2) {
    return world;
  } else {
    return frame.transpose() * world;
  }
}
template <int D>
Spin<D> spin_from(const Mat<D>& frame, const Spin<D>& along) {
  if constexpr (D == 2) {
    return along;
  } else {
    return frame * along;
  }
}

}  // namespace talus
