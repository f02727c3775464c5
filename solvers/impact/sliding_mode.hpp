// SPDX-License-Identifier: Apache-2.0
// The mode of an impact in which every contact with friction slides [B12, §3.2.4], in the plane:
// with ξ_i = ±1 the sign of v_t⁺ + e_t v_t⁻ at contact i,
//     q̇_norm⁺ = −E_nn q̇_norm⁻,   P_T = −[μ ξ] P_N.
#pragma once

#include <Eigen/Core>
#include <span>

#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/restitution_matrix.hpp"

namespace talus {

struct SlidingMode {
  Eigen::MatrixXd E;          // (G − n_qᵀH_T[μ̄ξ])†
  bool regular = false;       // Proposition 10 (ii): the inverse exists
  bool non_negative = false;  // Proposition 10 (iii): E ≥ 0 entry by entry
  Eigen::VectorXd p_bar;      // −E (I + E_nn) q̇_norm⁻ = ‖∇h_i‖ P_N,i
  bool pushes = false;  // p̄ ≥ 0, and it solves (68) (a): q̇_norm⁻ ∈ S⁻ of Proposition 11
  // v_t⁺ + e_t v_t⁻ of (70), (75), with v_t = H_TᵀΞᵀD v: the D = diag(G⁻¹, D_t) that takes v back
  // to q̇ is lost in (67) to (70).
  Eigen::VectorXd slip;
  bool exists = false;  // and ξ_i slip_i > 0 at every contact with friction
};
SlidingMode sliding_mode(const ImpactProblem<2>& impact, const MatrixLaw& law,
                         std::span<const double> xi);

}  // namespace talus
