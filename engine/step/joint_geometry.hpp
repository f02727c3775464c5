// SPDX-License-Identifier: Apache-2.0
// Joints at a configuration: how far they are from holding, and the rows of their Jacobian.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/joint.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// A joint in the frames of its bodies. The world is body number bodies.size(), at rest at the
// origin.
template <int D>
struct JointFrame {
  JointKind kind = JointKind::pin;
  int a = -1, b = -1;
  Vec<D> arm_a, arm_b;              // joint points from the mass centres, body axes [m]
  Mat<D> frame;                     // columns axis, t₁(, t₂) in a's axes
  Mat<D> frame_b;                   // the same in b's axes
  Orientation<D> start_a, start_b;  // of the bodies
  double length = 0;                // of a rod or rope [m]
  double size =
      1;  // [m] of the smaller body that moves: angles are reckoned as arcs at this radius
};

template <int D>
std::vector<JointFrame<D>> joint_frames(std::span<const Joint<D>> joints, const Bodies<D>& bodies);

// A constraint g(q) = 0 with its gradient: ġ is the velocity of the row.
template <int D>
struct Constraint {
  LinearRow<D> row;
  double value = 0;  // g [m]
};

// The row of −u.
template <int D>
LinearRow<D> opposite(LinearRow<D> row) {
  row.direction = -row.direction;
  row.moment_a = -row.moment_a;
  row.moment_b = -row.moment_b;
  return row;
}

// The bilateral constraints of a joint, forces before torques; none for a rope. Angles and torques
// are reckoned at JointFrame::size, so that all are lengths and forces.
template <int D>
void add_constraints(const JointFrame<D>& joint, const Bodies<D>& bodies,
                     std::vector<Constraint<D>>& constraints);

// How many of these are forces: the first ones.
template <int D>
int force_constraints(JointKind kind);

// The coordinate of a joint that has one [rad or m].
template <int D>
Constraint<D> coordinate(const JointFrame<D>& joint, const Bodies<D>& bodies);

// The distance of the two points of a rod or rope, and by how much its rate would change in unit
// time if both bodies kept their velocities [m/s²].
template <int D>
Constraint<D> distance(const JointFrame<D>& joint, const Bodies<D>& bodies);
template <int D>
double distance_acceleration(const JointFrame<D>& joint, const Bodies<D>& bodies,
                             std::span<const Twist<D>> v);

// Where the joint holds body b, in the world [m].
template <int D>
Vec<D> joint_point(const JointFrame<D>& joint, const Bodies<D>& bodies);

}  // namespace talus
