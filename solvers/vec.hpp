// Small vectors of mechanics in D = 2 or 3 dimensions. Contact-frame vectors hold the normal
// component first, then the tangential ones (N, T₁(, T₂)), as FCLib does.
#pragma once

#include "solvers/index.hpp"
#include "solvers/matrix.hpp"

namespace talus {

template <int D>
using Mat = Matrix<D, D>;

// Rotational freedoms: 1 in the plane, 3 in space.
template <int D>
constexpr int spin_dim = D*(D - 1) / 2;

template <int D>
using Spin = Vec<spin_dim<D>>;

template <int D>
using SpinMat = Matrix<spin_dim<D>, spin_dim<D>>;

// What every contact calls is always inlined here and in contact_problem.hpp: files that are
// optimised less compile it as well, and of several copies the linker takes any.

// ω × r, the velocity at arm r of a body spinning at ω.
template <int D>
[[gnu::always_inline]] inline Vec<D> cross(const Spin<D>& omega, const Vec<D>& r) {
  if constexpr (D == 2) {
    return {-omega[0] * r[1], omega[0] * r[0]};
  } else {
    return {omega[1] * r[2] - omega[2] * r[1], omega[2] * r[0] - omega[0] * r[2],
            omega[0] * r[1] - omega[1] * r[0]};
  }
}

// r × f, the moment of a force f acting at arm r.
template <int D>
[[gnu::always_inline]] inline Spin<D> moment(const Vec<D>& r, const Vec<D>& f) {
  if constexpr (D == 2) {
    return Spin<2>(r[0] * f[1] - r[1] * f[0]);
  } else {
    return {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
  }
}

}  // namespace talus
