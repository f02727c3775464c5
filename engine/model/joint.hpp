// SPDX-License-Identifier: Apache-2.0
// Joints as declared in a scene. A joint connects two bodies, or a body and the world.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "engine/geometry/space.hpp"
#include "engine/model/signal.hpp"

namespace talus {

// Degrees of freedom of b relative to a that a joint leaves free:
//   pin          rotation about a point: a pin in the plane, a ball in space
//   hinge        rotation about an axis (space)
//   slider       translation along an axis
//   cylindrical  translation along and rotation about one axis (space)
//   slot         translation along an axis and all rotations: a pin of b in a slot of a
//   fixed        nothing
//   distance     everything but the distance between two points: a rod
//   rope         everything while the points are no farther apart than its length
enum class JointKind { pin, hinge, slider, cylindrical, slot, fixed, distance, rope };

// Drives the coordinate of a joint at a prescribed rate, with a limited force or torque.
struct JointMotor {
  Signal velocity;                                         // [rad/s] or [m/s]
  double limit = std::numeric_limits<double>::infinity();  // [N m] or [N]
};

// Stops on the coordinate of a joint. The coordinate is 0 at the start.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();  // [rad] or [m], ≤ 0
  double upper = std::numeric_limits<double>::infinity();   // ≥ 0
  double restitution = 0;                                   // in [0, 1]
};

// The coordinate of a joint is the rotation of b relative to a for a pin (in the plane) and a
// hinge. It is the translation of b relative to a along the axis for a slider, a cylindrical joint
// and a slot. Other joints have none.
template <int D>
struct Joint {
  std::string name;
  JointKind kind = JointKind::pin;
  int a = -1, b = -1;  // bodies; −1: the world
  Vec<D> anchor_a = Vec<D>::Zero(),
         anchor_b = Vec<D>::Zero();  // in the described frames, or a point of the world [m]
  Vec<D> axis = Vec<D>::Zero();      // unit vector, world axes at the start; if it has an axis
  double length = 0;                 // of a rod or a rope [m]
  std::optional<JointMotor> motor = {};
  std::optional<JointLimits> limits = {};
  double friction = 0;     // μ: of a pin or hinge on its force, of a slider on its normal force
  double radius = 0;       // [m] at which the friction of a pin or hinge acts
  double restitution = 0;  // of a rope that becomes taut, in [0, 1]
  bool collide = false;    // whether the two bodies can also be in contact
};

// Whether the coordinate of a joint of this kind, if it has one, is a rotation.
inline bool turns(JointKind kind) { return kind == JointKind::pin || kind == JointKind::hinge; }

template <int D>
bool has_coordinate(const Joint<D>& joint) {
  switch (joint.kind) {
    case JointKind::pin:
      return D == 2;
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::slot:
      return true;
    default:
      return false;
  }
}

}  // namespace talus
