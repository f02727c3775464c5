// The impacts of a step. An impact is a cluster of the contact graph in which a contact closes
// fast: with it go all contacts that touch or carry load and hang together through bodies that
// move, for balls that already touch are what multiple impacts are about.
//
// Under a law of its own (solvers/impact_law.hpp) an impact happens before the contact problem of
// the step: v⁻ jumps by M⁻¹ H P, and the contact problem goes on from there without restitution.
// Under Moreau's law it is part of the contact problem. Every impact is judged.
#pragma once

#include <span>
#include <vector>

#include "engine/assembly.hpp"
#include "engine/ledger.hpp"
#include "engine/scene.hpp"
#include "engine/warm_start.hpp"
#include "solvers/impact_judgement.hpp"
#include "solvers/impact_law.hpp"

namespace talus {

// Closing speed above which a contact is an impact [m/s].
template <int D>
double impact_speed(const Scene<D>& scene);

// Contacts of the clusters, each in increasing order, in the order of their first contacts.
// Contacts that do not take part belong to none; a cluster has at least one contact that impacts.
struct ImpactClusters {
  std::vector<std::vector<int>> contacts;
};

// `takes_part` and `impacts` say so of every contact; bodies of zero inverse mass connect nothing.
template <int D>
ImpactClusters find_impact_clusters(const RigidOperator<D>& W, std::span<const char> takes_part,
                                    std::span<const char> impacts);

// The bodies and contacts of a cluster as a problem of its own.
template <int D>
ImpactProblem<D> impact_problem(const RigidOperator<D>& W, std::span<const int> cluster,
                                std::span<const ActiveContact<D>> contacts,
                                std::span<const Twist<D>> v_minus);

template <int D>
class Impacts {
 public:
  // Lets the impacts of the step happen, if the scene's law acts before the contact problem: adds
  // their jump to v_free, to b and to the biases of linear rows. `stored` are the percussions of
  // the last step: a contact that had one carries load.
  void resolve(const Scene<D>& scene, const Bodies<D>& bodies,
               std::span<const StoredPercussion<D>> stored,
               std::span<const ActiveContact<D>> contacts, std::span<const Twist<D>> v_minus,
               std::vector<Twist<D>>& v_free, ContactProblem<D>& problem);

  // After the contact problem: adds the percussions of the impacts to those of the contacts, and
  // judges every impact.
  void record(const Scene<D>& scene, const Bodies<D>& bodies, const ContactProblem<D>& problem,
              std::vector<ActiveContact<D>>& contacts, Certificate& certificate);

 private:
  void find_clusters(const Scene<D>& scene, const RigidOperator<D>& W,
                     std::span<const ActiveContact<D>> contacts);

  std::vector<char> takes_part_, impacts_;  // one per contact
  ImpactClusters clusters_;
  std::vector<Vec<D>> percussions_;  // one per contact where impacts happened before it, else empty
  std::vector<Twist<D>> jump_;       // of the bodies' velocities
  int failed_ = 0;                   // impacts that were not solved
};

}  // namespace talus
