// SPDX-License-Identifier: Apache-2.0
// Prescribed motion of driven bodies.
#pragma once

#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// A body whose motion is given. Velocity and spin drives are integrated by the scheme itself, so
// that what rests on the body follows it without slip; position and angle drives are met exactly at
// the end of every step, as displacements since the start: signal(t) − signal(0).
template <int D>
struct DrivenBody {
  int body = -1;
  std::vector<Drive<D>> drives;
  Vec<D> start_position;
  Orientation<D> start_orientation;
};

template <int D>
std::vector<DrivenBody<D>> driven_bodies(const Scene<D>& scene, const Bodies<D>& bodies);

template <int D>
Twist<D> prescribed_velocity(const DrivenBody<D>& driven, double t, Readings readings = {});

// Puts position- and angle-driven components where they must be at time t.
template <int D>
void place(const DrivenBody<D>& driven, double t, Vec<D>& position, Orientation<D>& orientation);

}  // namespace talus
