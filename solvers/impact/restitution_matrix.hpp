// SPDX-License-Identifier: Apache-2.0
// Restitution by a matrix over all contacts of an impact [B12, §3]: with the quasi-velocities v =
// (q̇_norm, q̇_tan),
//     v⁺ = −E v⁻,   E = [E_nn E_nt; E_tn E_tt]                                  [B12, (40)-(41)]
//     (1)
// Off the diagonal of E_nn stand Frémond's distance effects, what a contact does to another.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solvers/impact/impact_problem.hpp"

namespace talus {

struct MatrixLaw {
  // e_ij for contacts i ≠ j that are 1, 2, … bodies apart; the diagonal is each contact's
  // restitution.
  std::vector<double> neighbours = {};
  // E_nn given as a whole, for impacts with as many contacts as it has rows; other impacts go by
  // the above. Contacts count in the order of their bodies.
  Eigen::MatrixXd E_nn = {};
  // With E_nn: the quasi-tangential blocks. Where one is given, (1) is taken by the letter: it
  // fixes percussions and their tangential parts, and friction is what it is. Empty: no effect
  // (E_nt = E_tn = 0, and E_tt = −I: q̇_tan does not jump but by friction).
  Eigen::MatrixXd E_nt = {}, E_tn = {}, E_tt = {};

  bool has_tangential() const { return E_nt.size() + E_tn.size() + E_tt.size() > 0; }
};

// Without tangential blocks the matrix enters a complementarity problem with Coulomb's friction,
//     0 ≤ P_N ⟂ u_N⁺ + Σ_j ε_ij u_jN⁻ ≥ 0,   û_T = u_T⁺ + τ u_T⁻,
// which is (1) where every contact pushes, and Moreau's law for a diagonal matrix; contacts that
// open affect no other. Not solved, where (1) asks for what no percussions can do [B12, (55)].
template <int D>
ImpactAnswer<D> matrix_impact(const ImpactProblem<D>& impact, const MatrixLaw& law);

// b of û = W P + b in that problem, which the law states Coulomb's conditions on.
template <int D>
std::vector<Vec<D>> restituted_velocities(const ImpactProblem<D>& impact, const MatrixLaw& law);

// E_nn of an impact by that law.
template <int D>
Eigen::MatrixXd normal_restitution(const ImpactProblem<D>& impact, const MatrixLaw& law);

// ε_ij = ‖∇h_i‖/‖∇h_j‖ e_ij, the same restitution between velocities u_N = ∇h·q̇ [B12, (45)].
Eigen::MatrixXd fremond_matrix(const Eigen::MatrixXd& E_nn, const Eigen::VectorXd& norms);

}  // namespace talus
