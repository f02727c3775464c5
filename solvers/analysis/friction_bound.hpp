// SPDX-License-Identifier: Apache-2.0
// Friction bounds of a contact problem: explicit values below which forces and accelerations
// exist and are unique while contacts slide [BBB16, §3; B12, §4].
#pragma once

#include <optional>

#include "solvers/analysis/contact_system.hpp"
#include "solvers/complementarity/matrix_class.hpp"

namespace talus {

// σ_min(A)/σ_max(B); +∞ when B vanishes, 0 when A is singular.
double singular_ratio(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

// μ_max^b of Proposition 9, all constraints bilateral. A third of it is Proposition 10's.
double bilateral_bound(const SlidingMatrices& A);

// Proposition 11: some bilateral constraints without friction (μ_b = 0), eliminated.
double partly_frictionless_bound(const SlidingMatrices& A);

// μ_max^u of Proposition 12, all constraints unilateral.
double unilateral_bound(const SlidingMatrices& A);

// μ_ub^max of Proposition 13: the least μ with ‖M_ub^μ − M_ub^0‖₂ = 1/β₂(M_ub^0), or μ_max^b if
// that is less.
double mixed_bound(const SlidingMatrices& A);

// The least μ with ‖M_ub^μ − M_ub^0‖_F = 1, which has the 0.65 that the example of [BBB16, §3.4.1]
// reads off its Fig. 2b, where mixed_bound has 0.752: Frobenius' norm is what a norm of NumPy is
// unless told otherwise, and 1 is what β₂ maximises at the corner of the cube where the bilateral
// constraints alone take part (there M_ub^0 is the identity), at which a descent that starts there
// stays. Proves nothing by itself, for β₂ may be larger: only where it is below mixed_bound.
double printed_mixed_bound(const SlidingMatrices& A);

// Proposition 14: bilateral constraints without friction.
double frictionless_bilateral_bound(const SlidingMatrices& A);

// [B12, Proposition 14], as bounds on the largest μ. Its norm ‖·‖₂ is the root of the sum of
// squares of all entries:
//     statement  ‖n_qᵀH_T‖₂ (Σ μ_i²/‖∇h_i‖²)^½ < 1/‖G⁻¹‖₂
//     proof      ‖P‖₂ < 1/‖G⁻¹‖₂,   P = −n_qᵀH_T diag(μ_i/‖∇h_i‖), which is no less
// The proof holds for spectral norms as well, which are less: the sharper two. Unilateral
// constraints only.
struct KineticBounds {
  double statement = 0, proof = 0, spectral_statement = 0, spectral_proof = 0;
};
KineticBounds kinetic_bounds(const SlidingMatrices& A);

// [B12, Proposition 13]: where the friction term P of the normalised matrix G + P is symmetric, the
// friction coefficients may grow in their proportion until G + ε P stops being positive definite;
// this is the largest of them then. Of a single contact P is always so, and the bound is the μ_c of
// Proposition 12. Empty where P is not symmetric. Unilateral constraints only.
std::optional<double> symmetric_bound(const SlidingMatrices& A);

// Painlevé's ratio μ_i/μ_P,i of each unilateral contact taken alone, bilateral constraints kept: at
// 1 and above, the force that keeps this contact closed does not exist or is not unique. μ_P is
// A_nn/A_nt along the slip; for contacts that stick, along the worst direction.
struct PainleveRatio {
  Eigen::VectorXd critical;  // μ_P,i, +∞ where friction cannot do it
  Eigen::VectorXd ratio;     // μ_i/μ_P,i
};
PainleveRatio painleve_ratios(const ContactSystem& system);

}  // namespace talus
