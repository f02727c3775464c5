// Joints as a scene declares them: what ties two bodies, or a body and the world, together.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "engine/signal.hpp"
#include "engine/space.hpp"

namespace talus {

// What a joint leaves free of the motion of b against a:
//   pin          rotation about a point: a pin in the plane, a ball in space
//   hinge        rotation about an axis (space)
//   slider       translation along an axis
//   cylindrical  both, along and about one axis (space)
//   slot         the same and all other rotations: a pin of b in a straight slot of a
//   fixed        nothing
//   distance     all but the distance of two points: a rod
//   rope         the same, while the points are not farther apart than its length
enum class JointKind { pin, hinge, slider, cylindrical, slot, fixed, distance, rope };

// Drives the coordinate of a joint at a prescribed rate as long as no more than a given force or
// torque is needed.
struct JointMotor {
  Signal velocity;                                         // [rad/s] or [m/s]
  double limit = std::numeric_limits<double>::infinity();  // [N m] or [N]
};

// Stops on the coordinate of a joint, which is 0 at the start.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();  // [rad] or [m], ≤ 0
  double upper = std::numeric_limits<double>::infinity();   // ≥ 0
  double restitution = 0;                                   // in [0, 1]
};

// The coordinate of a joint is the rotation of b against a in a pin (in the plane) and in a hinge,
// the translation of b against a along the axis in a slider, a cylindrical joint and a slot; others
// have none.
template <int D>
struct Joint {
  std::string name;
  JointKind kind = JointKind::pin;
  int a = -1, b = -1;  // bodies; −1: the world
  Vec<D> anchor_a = Vec<D>::Zero(),
         anchor_b = Vec<D>::Zero();  // in the described frames, or a point of the world [m]
  Vec<D> axis = Vec<D>::Zero();      // unit vector, world axes at the start; where there is one
  double length = 0;                 // of a rod or a rope [m]
  std::optional<JointMotor> motor = {};
  std::optional<JointLimits> limits = {};
  double friction = 0;     // μ: of a pin or hinge on its force, of a slider on its normal force
  double radius = 0;       // [m] at which the friction of a pin or hinge acts
  double restitution = 0;  // of a rope that becomes taut, in [0, 1]
  bool collide = false;    // whether the two bodies touch each other, too
};

// Whether the coordinate of a joint that has one is a rotation.
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
