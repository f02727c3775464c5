// SPDX-License-Identifier: Apache-2.0
// What a law of restitution without friction does over all arrivals, in quasi-normal velocities q =
// q̇_norm with the normalised Delassus matrix G, T = ½ qᵀG⁻¹q and percussions p̄.
//
// By the letter, q⁺ = −E_nn q⁻ whatever the percussions: Aghili's projection. Of such laws
// [B12, Proposition 8] decides. As a complementarity law,
//     0 ≤ p̄ ⟂ q⁺ + E_d q⁻ + E_o min(q⁻, 0) ≥ 0,   q⁺ = q⁻ + G p̄                             (1)
// with E_d the diagonal of E_nn and E_o the rest of it: Moreau's law [B12, §3.1.1] and Frémond's
// matrices. There percussions push, and what closes with q⁻ ≤ 0 parts, by construction; energy is
// the question.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "solvers/complementarity/matrix_class.hpp"
#include "solvers/impact/impact_problem.hpp"

namespace talus {

enum class RestitutionRule { complementarity, letter };

// An arrival that shows what a law does wrong.
struct ShownArrival {
  Eigen::VectorXd q_minus;
  double gain = 0;  // T⁺ − T⁻, as a part of ½ q⁻ᵀG⁻¹q⁻
  double pull = 0;  // −min p̄, as a part of the largest, where a percussion pulls
};

struct RestitutionVerdict {
  // No contact opens, q⁻ ≤ 0, as the propositions of B12 take it: the impact is admissible in all
  // three ways.
  Verdict closing = Verdict::unknown;
  // Contacts that touch and open take part as well: T⁺ ≤ T⁻. Of a complementarity law only; a law
  // by the letter leaves them out.
  Verdict opening = Verdict::unknown;
  std::optional<ShownArrival> refuted_by;  // with the first `no` of the two
};

// With a diagonal E_nn in [0, 1], (1) makes the work of a contact ½ p̄_i (1 − e_i) q_i⁻: no arrival
// with q⁻ ≤ 0 gains energy. Where contacts open, p̄ may be any vector ≥ 0, for q⁻ = −(I + E)⁻¹G p̄
// asks for it, and
//     T⁺ − T⁻ = −½ p̄ᵀΛ G p̄,   Λ = diag((1 − e_i)/(1 + e_i)):                                   (2)
// no gain exactly where Λ G is copositive, which one coefficient makes it.
// Of other matrices, (1) is the letter where G⁻¹(I + E_nn) ≥ 0; elsewhere all sets of contacts that
// may push are looked at, up to five contacts.
RestitutionVerdict restitution_verdict(const Eigen::MatrixXd& G, const Eigen::MatrixXd& E_nn,
                                       RestitutionRule rule);

// Proposition 9 to the end: v⁺ = −E v⁻ by the letter with quasi-tangential blocks, T = ½ vᵀDv. No:
// an arrival with q⁻ ≤ 0 closes a contact or gains energy, q̇_tan⁻ being free. Never yes, for
// percussions within friction are not looked at. `always_answered`: percussions for every jump
// exist [B12, (55)].
Verdict full_restitution_verdict(const Eigen::MatrixXd& D, const Eigen::MatrixXd& E,
                                 Eigen::Index contacts, bool always_answered);

// Whether restitution is ρ at every contact and tangential restitution the same ρ at every rough
// one. Then Coulomb's law in û = u⁺ + ρ u⁻ gives Σ P·û ≤ 0, and with Σ P·(u⁺ − u⁻) = PᵀW P ≥ 0
//     T⁺ − T⁻ = ½ Σ P·(u⁺ + u⁻) = Σ (P·û − ½ (1 − ρ) P·(u⁺ − u⁻))/(1 + ρ) ≤ 0                   (3)
// whatever arrives and whatever the friction.
template <int D>
bool has_one_restitution(const ImpactProblem<D>& impact);

// T⁺ − T⁻ by (1), as a part of ½ q⁻ᵀG⁻¹q⁻. Empty where Lemke's method finds no percussions.
std::optional<double> gain_of_arrival(const Eigen::MatrixXd& G, const Eigen::MatrixXd& E_nn,
                                      const Eigen::VectorXd& q_minus);

}  // namespace talus
