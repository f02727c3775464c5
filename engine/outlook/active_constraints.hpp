// SPDX-License-Identifier: Apache-2.0
// The contact problem of a configuration, in forces and accelerations [BBB16, (1)]: the active
// constraints, their gradients, their slip, and the accelerations without constraint forces.
#pragma once

#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/analysis/contact_system.hpp"

namespace talus {

template <int D>
struct ActiveConstraint {
  enum class Kind { contact, joint, stop, rope };
  Kind kind = Kind::contact;
  int a = -1, b = -1;  // bodies; −1: the world
  int joint = -1;      // index in the scene; −1 for contacts
  Vec<D> point = Vec<D>::Zero();
  Vec<D> direction = Vec<D>::Zero();  // of its force on b; zero for a torque
  double gap = 0;                     // [m] or [rad]
  double normal_velocity = 0;         // rate of the gap
  double slip = 0;                    // speed [m/s]
  double friction = 0;                // of a pin or hinge times its radius
  int normals = 1;      // bilateral constraints, from this one on, whose force bounds the friction
  double adhesion = 0;  // F [N]: its normal force in `system` is P + F
  double stretch = 1;   // of its tangents, where friction is elliptic; `friction` is μ there
};

// The rows of the constraints in the world, in the order of `system`; D − 1 tangents each.
template <int D>
struct ConstraintRows {
  std::vector<LinearRow<D>> normal_b, normal_u, tangent_b, tangent_u;
};

template <int D>
struct ActiveConstraints {
  std::vector<ActiveConstraint<D>> bilateral, unilateral;  // in the order of `system`
  ContactSystem system;
  ConstraintRows<D> rows;
  std::vector<MassBlock<D>> mass;  // of all bodies, the resting world last
  std::vector<Twist<D>> free;      // their accelerations without constraint forces
  std::vector<int> body;           // which bodies of the scene they are; −1: none

  // The massless freedoms in the order of the system: components of a linear, then of an angular
  // acceleration. Such a freedom has no inverse mass here.
  struct Freedom {
    std::size_t body = 0;
    int component = 0;
  };
  std::vector<Freedom> massless;
  int impacts = 0;  // unilateral constraints that close: an impact comes first
};

struct ActivationTolerances {
  double gap = 1e-5;  // below it contacts and ropes are closed; relative to the smaller body
  double speed = 0;   // [m/s] below which a contact neither slips nor opens; 0: what gravity gives
                      // in a time step
};

// Bodies that count as massless: without inertia, and without mass unless they are particles.
struct MasslessBodies {
  std::vector<int> bodies, particles;

  bool empty() const { return bodies.empty() && particles.empty(); }
};

// Joints are bilateral (a motor holds its rate), contacts, stops and taut ropes unilateral. Bodies
// have the positions and velocities of time t. Adhesion is a force on bodies like gravity, −F n
// wherever it acts; what the contact problem finds is the rest of the contact force.
template <int D>
ActiveConstraints<D> active_constraints(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                        const ActivationTolerances& tolerances = {},
                                        const MasslessBodies& massless = {});

}  // namespace talus
