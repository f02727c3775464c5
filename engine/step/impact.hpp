// SPDX-License-Identifier: Apache-2.0
// The impacts of a step. An impact is a cluster of the contact graph in which a contact closes
// fast: with it go all contacts that touch or carry load and hang together through bodies that
// move, for balls that already touch are what multiple impacts are about. Joints hang bodies
// together, too, and pass on what keeps them together; ropes that are taut and stops that are met
// are contacts without friction, and may be what the impact begins with. Springs, motors and
// friction in joints give finite forces and do nothing in no time.
//
// Under a law of its own (solvers/impact/impact_law.hpp) an impact happens before the contact
// problem of the step: v⁻ jumps by M⁻¹ H P, and the contact problem goes on from there without
// restitution. Under Moreau's law it is part of the contact problem. Every impact is judged.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/model/scene.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/ledger.hpp"
#include "engine/step/step_data.hpp"
#include "solvers/impact/impact_judgement.hpp"
#include "solvers/impact/impact_law.hpp"
#include "solvers/impact/quasi_velocities.hpp"

namespace talus {

// Closing speed above which a contact is an impact [m/s].
template <int D>
double impact_speed(const Scene<D>& scene);

// Whether a contact closes faster than that. A speed that is rounding of the bodies' speeds is
// none.
template <int D>
bool closes(const Vec<D>& u_minus, double speed) {
  return u_minus[0] < -std::max(speed, 1e-12 * u_minus.norm());
}

// A rope or a stop among the linear rows of a step.
struct ImpactStop {
  int row = -1;
  double restitution = 0;
  bool touches = false;  // no gap
  bool comes = false;    // closes within the step, faster than the speed of an impact
};

// Contacts of the clusters, each in increasing order, in the order of their first contacts, those
// of ropes and stops alone last. Contacts that do not take part belong to none; a cluster has at
// least one contact or stop that impacts. Beside them the rows of their stops and joints.
struct ImpactClusters {
  std::vector<std::vector<int>> contacts, stops, joints;

  std::size_t size() const { return contacts.size(); }
};

// Whether anything bounces: a law of impacts of its own, or restitution somewhere. Else every
// landing of a grain is an impact, and none worth a look by itself.
template <int D>
bool has_restitution(const Scene<D>& scene);

// `takes_part` and `impacts` say so of every contact; bodies of zero inverse mass connect nothing.
// Of the rows only rigid bilateral ones count, and the stops given, all of which take part.
// Contacts marked `through_cell` meet through the motion of a periodic cell.
template <int D>
ImpactClusters find_impact_clusters(const RigidOperator<D>& W, std::span<const char> takes_part,
                                    std::span<const char> impacts,
                                    std::span<const LinearRow<D>> rows = {},
                                    std::span<const ImpactStop> stops = {},
                                    std::span<const char> through_cell = {});

// The bodies, contacts, stops and joints of cluster number c as a problem of its own. Contacts and
// stops that the joints hold fast, so that no percussion moves them, are dropped from the cluster.
template <int D>
ImpactProblem<D> impact_problem(const RigidOperator<D>& W, ImpactClusters& clusters, std::size_t c,
                                std::span<const ActiveContact<D>> contacts,
                                std::span<const Twist<D>> v_minus,
                                std::span<const LinearRow<D>> rows = {},
                                std::span<const ImpactStop> stops = {});

// What a contact went through in an impact of the step, in world axes. A stop of an angle has no
// normal in space: its torque and spin stand along the first axis.
template <int D>
struct ImpactedContact {
  int impact = 0;      // of the step, from 0
  int a = -1, b = -1;  // bodies, by their numbers in the scene; −1 the world, at a rope or stop
  Vec<D> normal;       // from a to b
  Vec<D> percussion;   // on b [N s]
  Vec<D> u_minus, u_plus;  // of b relative to a [m/s]
  double work = 0;         // ½ P·(u⁺ + u⁻) [J]
  // ‖∇h‖ in the metric of M⁻¹, joints taken out [kg^−½]: u_N = ‖∇h‖ q̇_norm [B12, (6)]. 0 where
  // joints hold the contact fast.
  double kinetic_norm = 0;
  // Of the whole impact, the same at all of its contacts: kinetic energy of its bodies along its
  // normals and across them [B12, (15)], before and after. −1 where it has too many contacts.
  QuasiEnergies energies_before = {-1, -1}, energies_after = {-1, -1};

  double quasi_normal(const Vec<D>& u) const {  // q̇_norm [√J]
    return kinetic_norm > 0 ? normal.dot(u) / kinetic_norm : 0;
  }
};

template <int D>
class Impacts {
 public:
  // Impacts under a law that acts before the contact problem: v_impact = v_free + their jump, which
  // b and the biases of linear rows follow. Under Moreau's law v_impact is v_free.
  void resolve(const Scene<D>& scene, const Bodies<D>& bodies, std::span<const ImpactStop> stops,
               StepData<D>& step);

  // After the contact problem, whose velocities may be off by an error [m/s]: adds the percussions
  // of the impacts to those of the contacts and of the rows, and judges every impact.
  void record(const Scene<D>& scene, const Bodies<D>& bodies, std::span<const ImpactStop> stops,
              double velocity_error, StepData<D>& step, Certificate& certificate);

  // Contacts of the impacts of the last step, impact by impact.
  std::span<const ImpactedContact<D>> contacts() const { return impacted_; }

 private:
  void find_clusters(const ContactProblem<D>& problem, std::span<const ImpactStop> stops);
  std::vector<char> through_cell_;  // of every contact, where a stress is imposed
  void find_kinetic_norms(const StepData<D>& step, std::size_t cluster);
  void find_energies(const StepData<D>& step, std::size_t cluster);

  std::vector<ImpactedContact<D>> impacted_;
  std::vector<char> takes_part_, impacts_;  // one per contact
  std::vector<ImpactStop> stops_;           // that take part
  ImpactClusters clusters_;
  std::vector<double> norms_;                       // of the contacts, then the stops of a cluster
  QuasiEnergies energies_before_, energies_after_;  // of a cluster
  std::vector<Vec<D>> percussions_;  // one per contact where impacts happened before it, else empty
  std::vector<double> row_percussions_;  // the same of rows
  std::vector<Twist<D>> jump_;           // of the bodies' velocities
  std::vector<Twist<D>> v_after_;
  int failed_ = 0;  // impacts that were not solved
};

}  // namespace talus
