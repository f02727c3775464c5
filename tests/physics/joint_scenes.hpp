// SPDX-License-Identifier: Apache-2.0
// Joints and bars that tests of joints, ropes and mechanisms share.
#pragma once

#include "tests/physics/support.hpp"

namespace talus::physics {

// A pin in the plane, and in space a hinge about the axis across.
template <int D>
Joint<D> pivot(int a, int b, const Vec<D>& anchor_a, const Vec<D>& anchor_b) {
  Joint<D> joint;
  joint.kind = D == 2 ? JointKind::pin : JointKind::hinge;
  joint.a = a;
  joint.b = b;
  joint.anchor_a = anchor_a;
  joint.anchor_b = anchor_b;
  if constexpr (D == 3) joint.axis = turning<3>();
  return joint;
}

template <int D>
Joint<D> span_joint(JointKind kind, int a, int b, const Vec<D>& anchor_a, double length) {
  Joint<D> joint;
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.anchor_a = anchor_a;
  joint.length = length;
  joint.collide = true;
  return joint;
}

constexpr double L = 1.2, width = 0.1;  // of a bar [m]

// A bar that hangs from its upper end at the origin, at an angle from the vertical.
template <int D>
BodyDescription<D> hanging_bar(double angle) {
  const Vec<D> end = at<D>(0, L / 2);
  BodyDescription<D> bar = block<D>(sides<D>(width, L, width), Vec<D>::Zero(), angle);
  bar.position = -(rotation_matrix<D>(bar.orientation) * end);
  bar.mass = 2;
  return bar;
}

template <int D>
Scene<D> pendulum(double h, double angle) {
  Scene<D> scene = scene_of<D>(h, {}, {hanging_bar<D>(angle)});
  scene.joints = {pivot<D>(-1, 0, Vec<D>::Zero(), at<D>(0, L / 2))};
  return scene;
}

template <int D>
double moment_of_inertia(const World<D>& world, int body) {
  return turning<D>().dot(world.bodies().inertia[talus::at(body)] * turning<D>());
}

template <int D>
double spin_of(const World<D>& world, int body) {
  return world.bodies().spin[talus::at(body)].dot(turning<D>());
}

}  // namespace talus::physics
