// The contact problem of a configuration, in forces and accelerations [BBB16, (1)]: which
// constraints are active there, their gradients, how they slip, and the accelerations there would
// be without their forces.
#pragma once

#include <vector>

#include "engine/bodies.hpp"
#include "engine/scene.hpp"
#include "solvers/contact_system.hpp"

namespace talus {

template <int D>
struct ActiveConstraint {
  enum class Kind { contact, joint, stop, rope };
  Kind kind = Kind::contact;
  int a = -1, b = -1;  // bodies; −1: the world
  int joint = -1;      // of the scene, for all but contacts
  Vec<D> point = Vec<D>::Zero();
  Vec<D> direction = Vec<D>::Zero();  // of its force on b; zero for a torque
  double gap = 0;                     // [m] or [rad]
  double normal_velocity = 0;         // rate of the gap
  double slip = 0;                    // speed [m/s]
  double friction = 0;
};

template <int D>
struct ActiveConstraints {
  std::vector<ActiveConstraint<D>> bilateral, unilateral;  // in the order of the system's
  ContactSystem system;
  int impacts = 0;                 // unilateral constraints that close: their impact comes first
  bool friction_left_out = false;  // friction in joints of which the theory has no form
};

struct ActivationTolerances {
  double gap = 1e-5;  // contacts and ropes count as closed, as a part of the smaller body
  double speed = 0;   // [m/s] below which a contact neither slips nor opens; 0: what gravity gives
                      // in a time step
};

// Joints are bilateral (a motor holds its rate), contacts, stops and taut ropes unilateral. Bodies
// have the positions and velocities of time t.
template <int D>
ActiveConstraints<D> active_constraints(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                        const ActivationTolerances& tolerances = {});

}  // namespace talus
