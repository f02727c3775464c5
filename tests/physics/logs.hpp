// SPDX-License-Identifier: Apache-2.0
// Three equal logs: two side by side on the ground and one on top of them. The lower two are apart
// by a hair. If they touched, they could press on each other with any force that friction at the
// other contacts bears, and rigid statics would not say which.
#pragma once

#include "tests/physics/support.hpp"

namespace talus::physics {

// A disk, or in space a capsule lying across.
template <int D>
BodyDescription<D> log_at(double r, const Vec<D>& centre) {
  if constexpr (D == 2) {
    return ball<D>(r, centre);
  } else {
    BodyDescription<D> body = ball<D>(r, centre);
    body.shapes = {Capsule<3>{{Vec<3>(0, -2 * r, 0), Vec<3>(0, 2 * r, 0)}, r}};
    return body;
  }
}

// Bodies: 0 the ground, 1 and 2 the lower logs, 3 the upper one.
template <int D>
Scene<D> logs_scene(double r, double mu_logs, double mu_ground, double h) {
  const double x = (1 + 1e-8) * r, z = std::sqrt(4 * r * r - x * x);
  Scene<D> scene = scene_of<D>(h, {},
                               {ground<D>(), log_at<D>(r, at<D>(-x, r)), log_at<D>(r, at<D>(x, r)),
                                log_at<D>(r, at<D>(0, r + z))});
  scene.laws.set(0, 1, {.friction = mu_ground});
  scene.laws.set(1, 1, {.friction = mu_logs});
  return scene;
}

}  // namespace talus::physics
