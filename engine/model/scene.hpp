// SPDX-License-Identifier: Apache-2.0
// Description of a simulation, as plain values in SI units. It knows no files and no algorithms.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/region.hpp"
#include "engine/geometry/shape.hpp"
#include "engine/geometry/space.hpp"
#include "engine/model/cell.hpp"
#include "engine/model/expression.hpp"
#include "engine/model/joint.hpp"
#include "engine/model/material.hpp"
#include "engine/model/measure.hpp"
#include "engine/model/signal.hpp"
#include "engine/model/stop.hpp"
#include "solvers/impact/impact_law.hpp"

namespace talus {

// One component of a prescribed motion. Several drives of a body add up.
template <int D>
struct Drive {
  enum class Kind { velocity, position, spin, angle };
  Kind kind = Kind::velocity;
  Vec<D> direction = Vec<D>::Zero();  // unit vector: velocity, position
  Spin<D> axis = Spin<D>::Zero();     // unit vector (±1 in the plane): spin, angle
  Signal signal;  // [m/s], [m] from the start position, [rad/s], [rad] from the start
};

// A force direction·signal at a point of a body, or a torque axis·signal, in world axes. A pressure
// is the force −normal·area·signal at the centre of a face, which turns with the body.
template <int D>
struct AppliedForce {
  int body = -1;
  Vec<D> direction = Vec<D>::Zero();  // unit vector, or zero for a torque
  Spin<D> axis = Spin<D>::Zero();     // unit vector, or zero for a force
  Vec<D> point = Vec<D>::Zero();      // in the frame the body was described in [m]
  Signal signal;                      // [N], [N m] or [Pa]
  double area = 0;  // > 0 of a pressure [m²], [m] in the plane; then `direction` is in body axes
};

// Groups of bodies that do not touch each other: bodies a and b have no contact if first[a] and
// second[b], or first[b] and second[a], share a bit. One bit per rule, one entry per body that is
// ever present; empty without rules.
struct NoContact {
  int rules = 0;  // ≤ 64
  std::vector<std::uint64_t> first, second;

  bool applies(std::size_t a, std::size_t b) const {
    return ((first[a] & second[b]) | (first[b] & second[a])) != 0;
  }
};

// Linear spring and damper along the line between points of two bodies (b = -1: a point of the
// world). With zero rest length it pulls the points together, isotropically.
template <int D>
struct Spring {
  int a = -1, b = -1;
  Vec<D> anchor_a = Vec<D>::Zero(),
         anchor_b = Vec<D>::Zero();  // in the described frames; world point if b = -1
  double stiffness = 0;              // k ≥ 0 [N/m]
  double damping = 0;                // c ≥ 0 [N s/m]
  double rest_length = 0;            // ≥ 0 [m]
};

template <int D>
struct BodyDescription {
  std::string name;
  std::vector<Shape<D>> shapes;  // in the described frame, whose origin need not be the mass centre
  int material = 0;
  Vec<D> position = Vec<D>::Zero();  // of the described frame [m]
  Orientation<D> orientation;
  Vec<D> velocity = Vec<D>::Zero();  // of the mass centre [m/s]
  Spin<D> spin = Spin<D>::Zero();    // [rad/s], world axes
  bool fixed = false;
  bool rotation_locked = false;  // infinite inertia, finite mass
  std::optional<double> mass;    // [kg]; from density and shape otherwise
  std::optional<SpinMat<D>>
      inertia;  // about the mass centre, described axes [kg m²]; scaled from shape otherwise
  std::vector<Drive<D>> drives;  // non-empty: a driven body, not affected by forces
  // Non-empty: no body but a set Φ(t) = { x : f(t, x) ≤ 0 for all f } that holds the mass centres
  // of free bodies (detect/set_contacts.hpp). It is fixed and has no shapes.
  std::vector<Expression> set;
};

// A region at a position and orientation in the world.
template <int D>
struct Zone {
  Region<D> region;  // in its own axes
  Vec<D> position = Vec<D>::Zero();
  Orientation<D> rotation;
};

// Creates bodies during a run, one after the other: each when it is due, or later as soon as a
// place in the zone is free.
template <int D>
struct Emitter {
  std::string name;
  Zone<D> zone;
  std::vector<BodyDescription<D>> grains;  // their positions are not used
  std::vector<double> due;                 // of each grain, ascending [s]
  std::uint64_t seed = 0;                  // of the places
};

// Removes bodies whose mass centre is in its zone. Fixed and driven bodies, and bodies that a
// joint, a spring or a force names, are not removed.
template <int D>
struct Outlet {
  std::string name;
  Zone<D> zone;
};

// A run from which this one takes its start: bodies of the same name have the positions and
// velocities of one of its frames.
struct EarlierRun {
  std::string frame;              // "RUN.h5@TIME"; without a time the last one
  std::vector<std::string> drop;  // patterns of bodies of that run that are left out
  std::vector<std::string> add;   // patterns of bodies that start as the scene says
};

// Moreau–Jean; Moreau's sweeping process by catching up, or explicitly by its lazy selector.
enum class Dynamics { second_order, sweeping, lazy_selector };
enum class ContactRule { lookahead, moreau };  // step/activation.hpp

struct SolverSettings {
  double tolerance = 1e-4;
  int max_sweeps = 5000;
};

// Limits of the certificate of a run (`talus check`).
struct CertificateLimits {
  double penetration = 0.1;  // of the half width of the thinner body
  double energy_gain = 0;    // of an impact, as a fraction of the energy it turns over
};

// Tests during a run whether the contact problem is well posed (monitor.hpp), and whether solving
// it again gives another solution (second_solution.hpp).
struct MonitorSettings {
  int every = 0;  // steps between tests; 0: none
  bool solve_again = false;

  bool looks_at(std::int64_t step) const { return every > 0 && step % every == 0; }
};

template <int D>
struct Scene {
  std::string title;
  Vec<D> gravity = Vec<D>::Zero();  // [m/s²]
  double h = 0;                     // time step [s]
  double end = 0;                   // [s]
  double theta = 0.5;               // θ ∈ [1/2, 1]
  int save_every = 1;               // steps between output frames
  Dynamics dynamics = Dynamics::second_order;
  ContactRule contact_rule = ContactRule::lookahead;
  bool correct_drift = true;
  double allowed_overlap =
      1e-3;  // at the start, as a fraction of the size (Geometry) of the smaller body
  SolverSettings solver;
  CertificateLimits certificate;
  MonitorSettings monitor;
  ImpactLaw impact_law;
  std::optional<double> impact_speed;  // faster is an impact [m/s]; default: settling_speed
  std::vector<Material> materials;
  PairTable laws;
  std::vector<CoefficientOfSpeed> coefficients_of_speed;  // referred to by `laws`
  std::vector<FrictionEllipsoid> friction_ellipsoids;     // likewise
  std::vector<BodyDescription<D>> bodies;
  std::vector<AppliedForce<D>> forces;
  std::vector<Spring<D>> springs;
  std::vector<Joint<D>> joints;
  std::vector<Emitter<D>> emitters;
  std::vector<Outlet<D>> outlets;
  std::vector<Measure<D>> measures;
  NoContact no_contact;
  std::optional<Cell<D>> cell;       // periodic
  double cell_acceleration = 0;      // of its sides in this step (step/cell_motion.hpp) [m/s²]
  std::vector<StopCondition> stops;  // the first that holds ends the run before `end`
  std::optional<EarlierRun> earlier;

  bool has_inertia() const { return dynamics == Dynamics::second_order; }
  bool is_set(int body) const {
    const auto i = static_cast<std::size_t>(body);
    return i < bodies.size() && !bodies[i].set.empty();
  }
  bool population_varies() const { return !emitters.empty() || !outlets.empty(); }
  // Number of steps to the end. The last step may go beyond the end, but not because of rounding.
  std::int64_t last_step() const {
    return static_cast<std::int64_t>(std::ceil(end / h * (1 - 1e-12)));
  }
};

// Bodies are numbered: first those of the start, then the grains of each emitter in turn.
template <int D>
std::size_t total_bodies(const Scene<D>& scene) {
  std::size_t count = scene.bodies.size();
  for (const Emitter<D>& emitter : scene.emitters) count += emitter.grains.size();
  return count;
}

template <int D>
const BodyDescription<D>& description(const Scene<D>& scene, std::size_t id) {
  if (id < scene.bodies.size()) return scene.bodies[id];
  id -= scene.bodies.size();
  std::size_t k = 0;
  while (id >= scene.emitters[k].grains.size()) id -= scene.emitters[k++].grains.size();
  return scene.emitters[k].grains[id];
}

using AnyScene = std::variant<Scene<2>, Scene<3>>;

}  // namespace talus
