// SPDX-License-Identifier: Apache-2.0
// The motion of a body within a step, recomputed from its states at both ends.
#pragma once

#include "engine/geometry/space.hpp"

namespace talus {

template <int D>
struct BodyState {
  Vec<D> position = Vec<D>::Zero();
  Orientation<D> orientation;
  Vec<D> velocity = Vec<D>::Zero();
  Spin<D> spin = Spin<D>::Zero();
};

// Inertia in body axes [kg m²]; its inverse is 0 where a body does not turn freely.
template <int D>
struct BodyInertia {
  SpinMat<D> J, inverse;
};

// The state after drifting for a time, which may be negative, as between two looks for contacts.
template <int D>
BodyState<D> drifted(BodyState<D> state, const BodyInertia<D>& inertia, double duration);

// How far apart the two ends of a step of length h meet at q_m, from before by h(1−θ) and from
// after by −hθ: zero but for corrections of positions.
struct Mismatch {
  double distance = 0, angle = 0;  // [m], [rad]
};
template <int D>
Mismatch mismatch(const BodyState<D>& before, const BodyState<D>& after,
                  const BodyInertia<D>& inertia, double h, double theta);

}  // namespace talus
