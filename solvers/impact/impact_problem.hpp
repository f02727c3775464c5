// SPDX-License-Identifier: Apache-2.0
// An impact: bodies that touch at some points, the velocities they arrive with, and the
// coefficients of every contact. A law of impact gives percussions; the rest, v⁺ = v⁻ + M⁻¹ H P, is
// mechanics. Joints pass on what it takes to keep them: their velocities do not jump,
//     v⁺ = v⁻ + M⁻¹ (H P + Jᵀλ),   J (v⁺ − v⁻) = 0,
// so that laws see bodies of the mass matrix projected on the null space of J. Whether a law's
// answer is admissible is judged in impact_judgement.hpp, whatever the law.
#pragma once

#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

// What the laws of impact ask of a contact.
struct ImpactCoefficients {
  double friction = 0;     // μ ≥ 0
  double restitution = 0;  // ∈ [0, 1]: ρ, Poisson's ε or the energetic e*, as the law says
  double tangential_restitution = 0;  // τ ∈ [0, 1]
  double stiffness = 1;               // > 0, against those of the other contacts
};

template <int D>
struct ImpactProblem {
  std::vector<MassBlock<D>> bodies;
  std::vector<Twist<D>> v_minus;                 // one per body
  std::vector<ContactRow<D>> contacts;           // bodies by their place above
  std::vector<ImpactCoefficients> coefficients;  // one per contact
  std::vector<LinearRow<D>> joints = {};         // bilateral and rigid; biases play no role
  // Taut ropes and stops of joints: contacts after the others, which have a normal alone and no
  // friction. Their coefficients follow those of the contacts.
  std::vector<LinearRow<D>> stops = {};

  std::size_t size() const { return contacts.size() + stops.size(); }
};

// The normal of contact i as a row.
template <int D>
LinearRow<D> normal_row(const ImpactProblem<D>& impact, std::size_t i);

template <int D>
struct ImpactAnswer {
  std::vector<Vec<D>> percussions;  // on b, in the contact frames [N s]
  bool solved = true;               // false: not to its tolerance within its budget
};

// u at every contact for given velocities of the bodies.
template <int D>
std::vector<Vec<D>> contact_velocities(const ImpactProblem<D>& impact, std::span<const Twist<D>> v);

// λ of the joints, that of least norm where they are redundant [N s].
template <int D>
std::vector<double> joint_percussions(const ImpactProblem<D>& impact,
                                      std::span<const Vec<D>> percussions);

// v⁺ = v⁻ + M⁻¹ (H P + Jᵀλ)
template <int D>
std::vector<Twist<D>> velocities_after(const ImpactProblem<D>& impact,
                                       std::span<const Vec<D>> percussions);

// W = Hᵀ(M⁻¹ − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺J M⁻¹)H
template <int D>
DelassusOperator<D> impact_delassus(const ImpactProblem<D>& impact);

// The fastest approach, max(0, −u_N⁻) over the contacts [m/s].
template <int D>
double closing_speed(std::span<const Vec<D>> u_minus);

}  // namespace talus
