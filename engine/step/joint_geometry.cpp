// SPDX-License-Identifier: Apache-2.0
#include "engine/step/joint_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// Where a body is; the world is the one after the last.
template <int D>
struct Pose {
  Vec<D> position = Vec<D>::Zero();
  Orientation<D> orientation;
};

template <int D>
Pose<D> pose_of(const Bodies<D>& bodies, int body) {
  if (at(body) == bodies.size()) return {};
  return {bodies.position[at(body)], bodies.orientation[at(body)]};
}

// A joint with its points and axes in the world.
template <int D>
struct Placed {
  Pose<D> a, b;
  Vec<D> arm_a, arm_b;
  Vec<D> span;   // from a's point to b's [m]
  Mat<D> frame;  // a's, in the world
};

template <int D>
Placed<D> placed(const JointFrame<D>& joint, const Bodies<D>& bodies) {
  Placed<D> p;
  p.a = pose_of<D>(bodies, joint.a);
  p.b = pose_of<D>(bodies, joint.b);
  const Mat<D> R_a = rotation_matrix<D>(p.a.orientation);
  p.arm_a = R_a * joint.arm_a;
  p.arm_b = rotation_matrix<D>(p.b.orientation) * joint.arm_b;
  p.span = p.b.position + p.arm_b - p.a.position - p.arm_a;
  p.frame = R_a * joint.frame;
  return p;
}

template <int D>
LinearRow<D> row_between(const JointFrame<D>& joint) {
  LinearRow<D> row;
  row.a = joint.a;
  row.b = joint.b;
  row.direction.setZero();
  row.moment_a.setZero();
  row.moment_b.setZero();
  return row;
}

// Velocity of b's point against a's along a direction that is fixed in the world.
template <int D>
LinearRow<D> point_row(const JointFrame<D>& joint, const Placed<D>& p, const Vec<D>& direction) {
  LinearRow<D> row = row_between<D>(joint);
  row.direction = direction;
  row.moment_a = moment<D>(p.arm_a, direction);
  row.moment_b = moment<D>(p.arm_b, direction);
  return row;
}

// Rate of t·span for a direction t that turns with a:
//     t·(v_b + ω_b × r_b − v_a − ω_a × r_a) + (ω_a × t)·span,  that is with r_a + span for r_a.
template <int D>
LinearRow<D> sliding_row(const JointFrame<D>& joint, const Placed<D>& p, const Vec<D>& t) {
  LinearRow<D> row = point_row<D>(joint, p, t);
  row.moment_a = moment<D>(p.arm_a + p.span, t);
  return row;
}

template <int D>
LinearRow<D> spin_row(const JointFrame<D>& joint, const Spin<D>& axis) {
  LinearRow<D> row = row_between<D>(joint);
  row.moment_a = row.moment_b = axis;
  return row;
}

// Rotation of b against a since the start, as a vector in the world.
template <int D>
Spin<D> relative_rotation(const JointFrame<D>& joint, const Placed<D>& p) {
  if constexpr (D == 2) {  // of any number of turns
    return Spin<2>((p.b.orientation.angle - joint.start_b.angle) -
                   (p.a.orientation.angle - joint.start_a.angle));
  } else {
    const Orientation<3> carried{p.a.orientation.q * joint.start_a.q.conjugate() * joint.start_b.q};
    return rotation_between<3>(carried, p.b.orientation);
  }
}

template <int D>
void add_no_rotation(const JointFrame<D>& joint, const Placed<D>& p,
                     std::vector<Constraint<D>>& constraints) {
  const Spin<D> phi = relative_rotation<D>(joint, p);
  for (int k = 0; k < spin_dim<D>; ++k)
    constraints.push_back({spin_row<D>(joint, joint.size * Spin<D>::Unit(k)), joint.size * phi[k]});
}

// The axes stay parallel: t_k·(axis_a × axis_b) = 0, whose rate is t_k·(ω_b − ω_a) where they are.
template <int D>
void add_parallel_axes(const JointFrame<D>& joint, const Placed<D>& p,
                       std::vector<Constraint<D>>& constraints) {
  if constexpr (D == 3) {
    const Vec<3> axis_b = rotation_matrix<3>(p.b.orientation) * joint.frame_b.col(0);
    const Vec<3> tilt = cross<3>(p.frame.col(0), axis_b);
    for (int k = 1; k < 3; ++k)
      constraints.push_back(
          {spin_row<3>(joint, joint.size * p.frame.col(k)), joint.size * tilt.dot(p.frame.col(k))});
  }
}

template <int D>
void add_coincident_points(const JointFrame<D>& joint, const Placed<D>& p,
                           std::vector<Constraint<D>>& constraints) {
  for (int k = 0; k < D; ++k)
    constraints.push_back({point_row<D>(joint, p, Vec<D>::Unit(k)), p.span[k]});
}

template <int D>
void add_point_on_axis(const JointFrame<D>& joint, const Placed<D>& p,
                       std::vector<Constraint<D>>& constraints) {
  for (int k = 1; k < D; ++k)
    constraints.push_back({sliding_row<D>(joint, p, p.frame.col(k)), p.span.dot(p.frame.col(k))});
}

template <int D>
double size_of(const Bodies<D>& bodies, int body) {
  const double none = std::numeric_limits<double>::infinity();
  if (at(body) == bodies.size() || !bodies.moves_freely(at(body))) return none;
  return bodies.geometry_of(at(body)).bounding_radius;
}

}  // namespace

template <int D>
std::vector<JointFrame<D>> joint_frames(std::span<const Joint<D>> joints, const Bodies<D>& bodies) {
  std::vector<JointFrame<D>> frames;
  for (const Joint<D>& joint : joints) {
    JointFrame<D> frame;
    frame.kind = joint.kind;
    const auto body = [&](int i) { return i < 0 ? static_cast<int>(bodies.size()) : i; };
    const auto arm = [&](int i, const Vec<D>& anchor) -> Vec<D> {
      return i < 0 ? anchor : Vec<D>(bodies.origin_offset[at(i)] + anchor);
    };
    frame.a = body(joint.a);
    frame.b = body(joint.b);
    frame.arm_a = arm(joint.a, joint.anchor_a);
    frame.arm_b = arm(joint.b, joint.anchor_b);
    frame.start_a = pose_of<D>(bodies, frame.a).orientation;
    frame.start_b = pose_of<D>(bodies, frame.b).orientation;
    const Mat<D> axes =
        joint.axis.isZero(0) ? Mat<D>(Mat<D>::Identity()) : frame_of_normal<D>(joint.axis);
    frame.frame = rotation_matrix<D>(frame.start_a).transpose() * axes;
    frame.frame_b = rotation_matrix<D>(frame.start_b).transpose() * axes;
    frame.length = joint.length;
    const double size = std::min(size_of<D>(bodies, frame.a), size_of<D>(bodies, frame.b));
    frame.size = std::isfinite(size) ? size : 1;
    frames.push_back(frame);
  }
  return frames;
}

template <int D>
void add_constraints(const JointFrame<D>& joint, const Bodies<D>& bodies,
                     std::vector<Constraint<D>>& constraints) {
  const Placed<D> p = placed<D>(joint, bodies);
  switch (joint.kind) {
    case JointKind::pin:
      add_coincident_points<D>(joint, p, constraints);
      break;
    case JointKind::hinge:
      add_coincident_points<D>(joint, p, constraints);
      add_parallel_axes<D>(joint, p, constraints);
      break;
    case JointKind::slider:
      add_point_on_axis<D>(joint, p, constraints);
      add_no_rotation<D>(joint, p, constraints);
      break;
    case JointKind::cylindrical:
      add_point_on_axis<D>(joint, p, constraints);
      add_parallel_axes<D>(joint, p, constraints);
      break;
    case JointKind::slot:
      add_point_on_axis<D>(joint, p, constraints);
      break;
    case JointKind::fixed:
      add_coincident_points<D>(joint, p, constraints);
      add_no_rotation<D>(joint, p, constraints);
      break;
    case JointKind::distance: {
      Constraint<D> rod = distance<D>(joint, bodies);
      rod.value -= joint.length;
      constraints.push_back(rod);
      break;
    }
    case JointKind::rope:
      break;
  }
}

template <int D>
int force_constraints(JointKind kind) {
  switch (kind) {
    case JointKind::pin:
    case JointKind::hinge:
    case JointKind::fixed:
      return D;
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::slot:
      return D - 1;
    case JointKind::distance:
      return 1;
    case JointKind::rope:
      break;
  }
  return 0;
}

template <int D>
Constraint<D> coordinate(const JointFrame<D>& joint, const Bodies<D>& bodies) {
  const Placed<D> p = placed<D>(joint, bodies);
  if (!turns(joint.kind))
    return {sliding_row<D>(joint, p, p.frame.col(0)), p.span.dot(p.frame.col(0))};
  if constexpr (D == 2) {
    return {spin_row<2>(joint, Spin<2>(1.0)), relative_rotation<2>(joint, p)[0]};
  } else {
    const Vec<3> axis = p.frame.col(0);
    return {spin_row<3>(joint, axis), relative_rotation<3>(joint, p).dot(axis)};
  }
}

template <int D>
Constraint<D> distance(const JointFrame<D>& joint, const Bodies<D>& bodies) {
  const Placed<D> p = placed<D>(joint, bodies);
  const double length = p.span.norm();
  const Vec<D> n = length > 0 ? Vec<D>(p.span / length) : Vec<D>(Vec<D>::Unit(0));
  return {point_row<D>(joint, p, n), length};
}

// ℓ̈ = (‖ṡ‖² − ℓ̇²)/ℓ + n·(ω_b × (ω_b × r_b) − ω_a × (ω_a × r_a)),  s the span.
template <int D>
double distance_acceleration(const JointFrame<D>& joint, const Bodies<D>& bodies,
                             std::span<const Twist<D>> v) {
  const Placed<D> p = placed<D>(joint, bodies);
  const double length = p.span.norm();
  if (!(length > 0)) return 0;
  const Vec<D> n = p.span / length;
  const Twist<D>&a = v[at(joint.a)], &b = v[at(joint.b)];
  const Vec<D> rim_a = cross<D>(a.omega, p.arm_a), rim_b = cross<D>(b.omega, p.arm_b);
  const Vec<D> rate = b.v + rim_b - a.v - rim_a;
  const double stretch = n.dot(rate);
  return (rate.squaredNorm() - stretch * stretch) / length +
         n.dot(cross<D>(b.omega, rim_b) - cross<D>(a.omega, rim_a));
}

template <int D>
Vec<D> joint_point(const JointFrame<D>& joint, const Bodies<D>& bodies) {
  const Placed<D> p = placed<D>(joint, bodies);
  return p.b.position + p.arm_b;
}

#define TALUS_INSTANTIATE(D)                                                       \
  template std::vector<JointFrame<D>> joint_frames<D>(std::span<const Joint<D>>,   \
                                                      const Bodies<D>&);           \
  template void add_constraints<D>(const JointFrame<D>&, const Bodies<D>&,         \
                                   std::vector<Constraint<D>>&);                   \
  template int force_constraints<D>(JointKind);                                    \
  template Constraint<D> coordinate<D>(const JointFrame<D>&, const Bodies<D>&);    \
  template Constraint<D> distance<D>(const JointFrame<D>&, const Bodies<D>&);      \
  template double distance_acceleration<D>(const JointFrame<D>&, const Bodies<D>&, \
                                           std::span<const Twist<D>>);             \
  template Vec<D> joint_point<D>(const JointFrame<D>&, const Bodies<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
