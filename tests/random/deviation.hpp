// SPDX-License-Identifier: Apache-2.0
// How far two runs are apart that must be one motion, seen otherwise or with more beside it.
#pragma once

#include <limits>

#include "engine/world.hpp"
#include "tests/random/plain_law.hpp"
#include "tests/random/transformed.hpp"
#include "tests/random/trial.hpp"

namespace talus::random_scenes {

template <int D>
double extent(const Scene<D>& scene) {
  double largest = 0;
  for (const BodyDescription<D>& body : scene.bodies)
    largest = std::max(largest, body.position.norm());
  return largest;
}

// How far two runs are apart after some steps, per speed of the scene; whether both met their
// tolerance in every step.
struct Deviation {
  double largest = 0;
  bool converged = true;
  bool unique = true;  // no friction in any step
};

template <int D>
Deviation deviation(const Scene<D>& scene, const Scene<D>& other_scene, const Change<D>& change,
                    int steps) {
  World<D> world(scene), other(other_scene);
  Deviation result;
  double speed = 0;
  for (int k = 0; k < steps; ++k) {
    result.converged = world.step().converged && other.step().converged && result.converged;
    result.unique = result.unique && is_frictionless<D>(world.problem());
    speed = std::max(speed, scene.gravity.norm() * scene.h);
    for (const Vec<D>& v : world.bodies().velocity) speed = std::max(speed, v.norm());
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed || !scene.bodies[i].drives.empty()) continue;
    const std::size_t j = at(change.number(static_cast<int>(i)));
    const Vec<D> v = other.bodies().velocity[j] - change.velocity(world.bodies().velocity[i]);
    const Spin<D> omega =
        change.time * other.bodies().spin[j] - change.axis(world.bodies().spin[i]);
    const double r = bounding_radius<D>(scene.bodies[i].shapes);
    result.largest =
        std::max({result.largest, v.norm() * change.time / change.length, omega.norm() * r});
    if (!std::isfinite(v.norm()) || !std::isfinite(omega.norm()))
      result.largest = std::numeric_limits<double>::infinity();
  }
  // Gaps of bodies at rest are rounding, of what a step resolves.
  result.largest /= std::max(speed, 1e-9 * extent<D>(scene) / scene.h);
  return result;
}

// Whether the motion hangs on rounding: it changes as much when bodies are moved by what rounding
// moves them. Two bodies that just touch do so where rounding decides whether they share a contact.
template <int D>
bool hangs_on_rounding(const Scene<D>& scene, int steps, double limit) {
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    Scene<D> moved = scene;
    for (BodyDescription<D>& body : moved.bodies)
      for (int d = 0; d < D; ++d) body.position[d] += 1e-14 * extent<D>(scene) * random.normal();
    if (deviation<D>(scene, moved, {}, steps).largest > limit) return true;
  }
  return false;
}

// Velocities are unique without friction. What two solutions of one tolerance differ by depends on
// the scene, so a difference counts if it stays when the tolerance goes down.
template <int D>
Verdict moves_alike(Scene<D> scene, const Change<D>& change, int steps) {
  constexpr double limit = 1e-5;
  Deviation now;
  for (const double tolerance : {1e-8, 1e-11}) {
    scene.solver.tolerance = tolerance;
    now = deviation<D>(scene, changed<D>(scene, change), change, steps);
    if (!now.unique) return {"", "not unique: friction"};
    if (now.largest <= limit) return {};
  }
  if (!now.converged) return {"", "a step missed a tolerance of 1e-11"};
  if (hangs_on_rounding<D>(scene, steps, limit)) return {"", "hangs on rounding of positions"};
  return {fmt::format("velocities differ by {:.2g} of the largest", now.largest), ""};
}

}  // namespace talus::random_scenes
