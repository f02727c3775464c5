// SPDX-License-Identifier: Apache-2.0
// Sufficient conditions for an admissible impact (the proofs): on restitution, friction and the
// kinetic geometry alone, for any velocities before the impact.
//
// ‖·‖₂ of B12 is the root of the sum of squares of all entries.
#pragma once

#include <Eigen/Core>

#include "solvers/complementarity/matrix_class.hpp"

namespace talus {

// Without friction, for a restitution matrix E_nn and the normalised Delassus matrix G > 0. The
// first three are necessary and sufficient for an admissible matrix [B12, Proposition 8]; the
// others are sufficient for T⁺ ≤ T⁻, and cheap for many contacts.
struct RestitutionConditions {
  bool kinematic = false;  // E_nn ≥ 0 entry by entry
  bool kinetic = false;    // G⁻¹(I + E_nn) ≥ 0 entry by entry
  Copositivity energetic;  // of G⁻¹ − E_nnᵀG⁻¹E_nn [B12, Propositions 2 and 8]

  // G⁻¹ − E_nnᵀG⁻¹E_nn ≥ 0 for velocities of any sign; > 0 for all E_nn small enough [Proposition
  // 4].
  double smallest_loss = 0;  // its smallest eigenvalue
  double epsilon_star = 0;  // > 0 as long as ε < ε*, where E_nnᵀG⁻¹E_nn stands for ε times itself
  bool conservative = false;   // E_nnᵀG⁻¹E_nn = G⁻¹, and (i), (ii) of B12's Corollary 1
  bool symmetric = false;      // E_nn = G E_nnᵀ G⁻¹, which Proposition 5 asks for
  double spectral_radius = 0;  // then |λ_max(E_nn)| ≤ 1 is necessary and sufficient
  double sigma = 0, sigma_bound = 0;  // σ_max(E_nn) ≤ 1/√(λ_max(G) λ_max(G⁻¹)) [Proposition 6]
  double norm = 0, norm_bound = 0;  // ‖E_nn‖₂ < 1/√(‖G⁻¹‖₂ ‖G‖₂) [Proposition 7]
};
RestitutionConditions restitution_conditions(const Eigen::MatrixXd& G, const Eigen::MatrixXd& E_nn);

// The U-property [B12, Definition 1]: one conservative E_nn alone is admissible for all arrivals.
// One contact has it, with e = 1. Of two with G₁₂ = a, E = G^½ O G^(−½) with O orthogonal; a
// rotation has entries of opposite signs beside the diagonal unless it is I, and G⁻¹(I + I) ≥ 0
// asks for a ≤ 0; a reflection has no trace, so that E ≥ 0 leaves [0 1; 1 0], which is admissible
// for every a. So they have it exactly for a > 0, and not for orthogonal contacts, as the document
// says: that is true of diagonal matrices. Unknown for more.
Verdict has_U_property(const Eigen::MatrixXd& G);

// With quasi-tangential restitution: v⁺ = −E v⁻ and T = ½ vᵀD v, D = diag(G⁻¹, D_t).
struct FullRestitutionConditions {
  double smallest_loss = 0;  // smallest eigenvalue of D − EᵀD E: ≥ 0 means T⁺ ≤ T⁻ always
  double norm = 0, norm_bound = 0;  // ‖E‖₂ < 1/√(‖D⁻¹‖₂ ‖D‖₂) [B12, Proposition 9]
};
FullRestitutionConditions full_restitution_conditions(const Eigen::MatrixXd& D,
                                                      const Eigen::MatrixXd& E);

// Newton's restitution with Coulomb's friction at the impulse [B12, §3.2.5], all contacts sliding
// one way or another: energy cannot grow if the impact is close enough to a normal one [Theorem 2].
struct SlidingImpact {
  Eigen::MatrixXd G;         // normalised Delassus matrix
  Eigen::MatrixXd n_H, t_H;  // n_qᵀH_T and t_qᵀH_T: coupling of friction, one column a contact
  Eigen::MatrixXd D_t;       // (t_qᵀM t_q)⁻¹
  Eigen::VectorXd mu_bar;    // ξ_i μ_i/‖∇h_i‖ [B12, Remark 8]
  Eigen::MatrixXd E_nn;
  Eigen::VectorXd q_norm;  // q̇_norm⁻
};

// The matrix M(q, μ) of the document is G⁻¹. It prints E(q) − G n_qᵀH_T[μ̄]E(q), for (76) has G
// where D_n = G⁻¹ belongs; with it M = (I − G⁻¹n_qᵀH_T[μ̄]) E(q) = G⁻¹ E(q)⁻¹ E(q). So Lemma 1 (ii)
// holds without a condition.
struct SlidingConditions {
  bool lemma_1 = false;  // (i): G − n_qᵀH_T[μ̄] > 0 by its bound, and with it E(q) > 0
  bool pushes = false;  // p̄ = −E(q)(I + E_nn) q̇_norm⁻ ≥ 0, which the theorem takes for granted
  double smallest_M = 0;  // λ_min of the symmetric part of M̄ = (I − E_nn)ᵀG⁻¹(I + E_nn)
  double largest_K = 0;   // λ_max of K [B12, (79)]
  bool coupling_small = false;  // (82) (i): smallest_M > largest_K, and M̄ > 0
  // (82) (ii): ‖q̇_norm⁻‖/‖q̇_tan⁻‖ at least this; ∞ if (i) fails. With the factor ‖E(q)‖₂, which the
  // last term of (80) has and (81), (82) have lost; it is 1 in Example 5.
  double normal_ratio = 0;

  bool hold(double ratio) const {
    return lemma_1 && pushes && coupling_small && ratio >= normal_ratio;
  }
};
SlidingConditions sliding_conditions(const SlidingImpact& impact);

// The same for all ways to slide or stick at once, by spectral norms: ‖n_qᵀH_T[μ̄]ξ‖ is at most that
// of n_qᵀH_T[μ̄] for |ξ_i| ≤ 1. n_H and t_H may have several columns a contact, mu_bar goes with
// them.
SlidingConditions sliding_bounds(const SlidingImpact& impact);

// Aghili's: E Q E − Q ⪯ 0 [A05, (55)], by its largest eigenvalue.
double projection_gain(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& E);

// The largest s for which s E fulfils Aghili's condition, the boundary of his linear matrix
// inequality [A05, (56)] along E: s² = 1/λ_max(E Q E, Q). +∞ for E = 0.
double largest_scale(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& E);

}  // namespace talus
