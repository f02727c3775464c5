// SPDX-License-Identifier: Apache-2.0
#include "engine/step/retrace.hpp"

namespace talus {

template <int D>
BodyState<D> drifted(BodyState<D> state, const BodyInertia<D>& inertia, double duration) {
  state.position += duration * state.velocity;
  if (state.spin.isZero(0)) return state;
  if (inertia.inverse.isZero(0)) {
    state.orientation = rotated<D>(state.orientation, duration * state.spin);
    return state;
  }
  const Rotating<D> turned =
      free_rotation<D>(state.orientation, state.spin, inertia.J, inertia.inverse, duration);
  state.orientation = turned.orientation;
  state.spin = turned.spin;
  return state;
}

template <int D>
Mismatch mismatch(const BodyState<D>& before, const BodyState<D>& after,
                  const BodyInertia<D>& inertia, double h, double theta) {
  const BodyState<D> from = drifted<D>(before, inertia, (1 - theta) * h);
  const BodyState<D> to = drifted<D>(after, inertia, -theta * h);
  return {(to.position - from.position).norm(),
          rotation_between<D>(from.orientation, to.orientation).norm()};
}

#define TALUS_INSTANTIATE(D)                                                                     \
  template BodyState<D> drifted<D>(BodyState<D>, const BodyInertia<D>&, double);                 \
  template Mismatch mismatch<D>(const BodyState<D>&, const BodyState<D>&, const BodyInertia<D>&, \
                                double, double);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
