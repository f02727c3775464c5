// SPDX-License-Identifier: Apache-2.0
// The same scene seen otherwise: turned, moved, from a moving frame, in a mirror, with other
// numbers for its bodies, in other units. Its motion must be the same, seen likewise.
#pragma once

#include <numeric>

#include "engine/model/scene.hpp"

namespace talus::random_scenes {

// World vectors x become linear x + translation; spins and axes of rotation, pseudovectors, become
// det(linear) linear ω.
template <int D>
struct Change {
  Mat<D> linear = Mat<D>::Identity();
  bool mirrors = false;
  Vec<D> translation = Vec<D>::Zero(), boost = Vec<D>::Zero();
  double length = 1, time = 1, mass = 1;  // factors of units
  std::vector<int> body;                  // new number of each body; empty: as they are

  Vec<D> vector(const Vec<D>& x) const { return linear * x; }
  Vec<D> point(const Vec<D>& x) const { return length * (linear * x) + translation; }
  Vec<D> velocity(const Vec<D>& v) const { return length / time * (linear * v) + boost; }
  Spin<D> axis(const Spin<D>& n) const {
    if constexpr (D == 2)
      return (mirrors ? -1 : 1) * n;
    else
      return (mirrors ? -1 : 1) * (linear * n);
  }
  int number(int i) const { return i < 0 || body.empty() ? i : body[at(i)]; }
  // In the frame of a body, which is mirrored with the world but not turned with it.
  Vec<D> local(Vec<D> x) const {
    if (mirrors) x[0] = -x[0];
    return length * x;
  }
  Orientation<D> orientation(const Orientation<D>& o) const;
};

template <>
inline Orientation<2> Change<2>::orientation(const Orientation<2>& o) const {
  return {(mirrors ? -o.angle : o.angle) + (mirrors ? 0 : std::atan2(linear(1, 0), linear(0, 0)))};
}
template <>
inline Orientation<3> Change<3>::orientation(const Orientation<3>& o) const {
  if (mirrors) return {Eigen::Quaterniond(o.q.w(), o.q.x(), -o.q.y(), -o.q.z())};
  if (linear == Mat<3>::Identity()) return o;
  return {Eigen::Quaterniond(linear) * o.q};
}

template <int D>
Signal changed(const Signal& signal, double value, double time) {
  if (const auto* constant = std::get_if<Constant>(&signal))
    return Constant{value * constant->value};
  Sinusoid sinusoid = std::get<Sinusoid>(signal);  // random scenes have no tables
  sinusoid.amplitude *= value;
  sinusoid.offset *= value;
  sinusoid.frequency /= time;
  return sinusoid;
}

template <int D>
Shape<D> changed(const Shape<D>& shape, const Change<D>& change) {
  if (const auto* ball = std::get_if<Ball<D>>(&shape))
    return Ball<D>{change.length * ball->radius, change.local(ball->centre)};
  if (const auto* capsule = std::get_if<Capsule<D>>(&shape))
    return Capsule<D>{{change.local(capsule->ends[0]), change.local(capsule->ends[1])},
                      change.length * capsule->radius};
  if (const auto* half = std::get_if<HalfSpace<D>>(&shape)) {
    Vec<D> normal = half->normal;
    if (change.mirrors) normal[0] = -normal[0];
    return HalfSpace<D>{normal, change.length * half->offset};
  }
  Polytope<D> polytope = std::get<Polytope<D>>(shape);
  for (Vec<D>& x : polytope.vertices) x = change.local(x);
  if (change.mirrors) return *convex_hull<D>(polytope.vertices);
  for (double& offset : polytope.offsets) offset *= change.length;
  polytope.centre = change.local(polytope.centre);
  polytope.radius *= change.length;
  return polytope;
}

template <int D>
BodyDescription<D> changed(BodyDescription<D> body, const Change<D>& change) {
  for (Shape<D>& shape : body.shapes) shape = changed<D>(shape, change);
  const bool moves = !body.fixed && body.drives.empty();
  body.position = change.point(body.position);
  body.orientation = change.orientation(body.orientation);
  if (moves) body.velocity = change.velocity(body.velocity);
  body.spin = change.axis(body.spin) / change.time;
  if (body.mass) *body.mass *= change.mass;
  for (Drive<D>& drive : body.drives) {
    const bool turns = drive.kind == Drive<D>::Kind::spin;
    drive.direction = change.vector(drive.direction);
    drive.axis = change.axis(drive.axis);
    drive.signal = changed<D>(drive.signal, (turns ? 1 : change.length) / change.time, change.time);
  }
  const double speed = change.boost.norm();
  if (!moves && speed > 0) {
    body.fixed = false;
    body.drives.push_back({.kind = Drive<D>::Kind::velocity,
                           .direction = change.boost / speed,
                           .signal = Constant{speed}});
  }
  return body;
}

template <int D>
Joint<D> changed(Joint<D> joint, const Change<D>& change) {
  joint.anchor_a = joint.a < 0 ? change.point(joint.anchor_a) : change.local(joint.anchor_a);
  joint.anchor_b = joint.b < 0 ? change.point(joint.anchor_b) : change.local(joint.anchor_b);
  joint.a = change.number(joint.a);
  joint.b = change.number(joint.b);
  const bool turns = talus::turns(joint.kind);
  if constexpr (D == 3)
    joint.axis = turns ? change.axis(joint.axis) : change.vector(joint.axis);
  else
    joint.axis = change.vector(joint.axis);
  const double size = turns ? 1 : change.length;
  // In the plane an angle has its sign from the plane, not from an axis.
  const double sign = D == 2 && turns && change.mirrors ? -1 : 1;
  const double force = change.mass * change.length / (change.time * change.time);
  if (joint.motor) {
    joint.motor->velocity =
        changed<D>(joint.motor->velocity, sign * size / change.time, change.time);
    joint.motor->limit *= turns ? force * change.length : force;
  }
  if (joint.limits) {
    joint.limits->lower *= size;
    joint.limits->upper *= size;
    if (sign < 0)
      std::tie(joint.limits->lower, joint.limits->upper) =
          std::pair{-joint.limits->upper, -joint.limits->lower};
  }
  joint.length *= change.length;
  joint.radius *= change.length;
  return joint;
}

template <int D>
Scene<D> changed(Scene<D> scene, const Change<D>& change) {
  const double L = change.length, T = change.time, M = change.mass;
  scene.gravity = L / (T * T) * change.vector(scene.gravity);
  scene.h *= T;
  scene.end *= T;
  const auto materials = static_cast<int>(scene.materials.size());
  for (Material& material : scene.materials) material.density *= M / std::pow(L, D);
  PairTable laws(scene.materials.size());
  for (int i = 0; i < materials; ++i)
    for (int j = i; j < materials; ++j) {
      ContactLaw law = scene.laws(i, j);
      law.normal_stiffness *= M / (T * T);
      law.tangential_stiffness *= M / (T * T);
      laws.set(i, j, law);
    }
  scene.laws = laws;
  std::vector<BodyDescription<D>> bodies(scene.bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[at(change.number(static_cast<int>(i)))] = changed<D>(scene.bodies[i], change);
  scene.bodies = std::move(bodies);
  for (AppliedForce<D>& force : scene.forces) {
    force.body = change.number(force.body);
    force.direction = change.vector(force.direction);
    force.point = change.local(force.point);
    force.signal = changed<D>(force.signal, M * L / (T * T), T);
  }
  for (Spring<D>& spring : scene.springs) {
    spring.anchor_a = change.local(spring.anchor_a);
    spring.anchor_b = spring.b < 0 ? change.point(spring.anchor_b) : change.local(spring.anchor_b);
    spring.a = change.number(spring.a);
    spring.b = change.number(spring.b);
    spring.stiffness *= M / (T * T);
    spring.damping *= M / T;
    spring.rest_length *= L;
  }
  for (Joint<D>& joint : scene.joints) joint = changed<D>(joint, change);
  return scene;
}

// Anchored to the world, which a boost does not carry along.
template <int D>
bool holds_to_world(const Scene<D>& scene) {
  return std::any_of(scene.springs.begin(), scene.springs.end(),
                     [](const Spring<D>& s) { return s.a < 0 || s.b < 0; }) ||
         std::any_of(scene.joints.begin(), scene.joints.end(),
                     [](const Joint<D>& j) { return j.a < 0 || j.b < 0; });
}

}  // namespace talus::random_scenes
