// SPDX-License-Identifier: Apache-2.0
// Orientations and spins of a frame, which are those of space, as those of D dimensions.
#pragma once

#include <cmath>

#include "engine/geometry/space.hpp"

namespace talus {

inline Orientation<3> orientation_of(const Eigen::Quaterniond& q, Orientation<3>) { return {q}; }
inline Orientation<2> orientation_of(const Eigen::Quaterniond& q, Orientation<2>) {
  return {2 * std::atan2(q.z(), q.w())};
}

template <int D>
Spin<D> spin_of(const Vec<3>& omega) {
  if constexpr (D == 2) {
    return Spin<2>(omega[2]);
  } else {
    return omega;
  }
}

}  // namespace talus
