// SPDX-License-Identifier: Apache-2.0
// The contact problem at one configuration in the sense of [BBB16]: forces and accelerations are
// the unknowns, position and velocity are given. Bilateral and unilateral constraints, each with or
// without Coulomb friction, as gradients in the kinetic metric.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

// One kind of constraints. Gradients are rows (M^(−1/2)∇h)ᵀ; a constraint with friction has
// `tangents` tangential rows, one after the other, one without may leave them zero.
struct ConstraintSet {
  SparseRows normal;          // m rows
  SparseRows tangent;         // m · tangents rows
  Eigen::VectorXd friction;   // μ_i
  Eigen::MatrixXd slip;       // tangents × m: unit direction of v_t, or zero when it sticks
  Eigen::VectorXd w_normal;   // accelerations without constraint forces [m/s²]
  Eigen::VectorXd w_tangent;  // m · tangents

  Eigen::Index size() const { return normal.rows(); }
};

// Friction along one row of a joint that carries its force by several bilateral constraints: a pin,
// a hinge, a slider in space. |f| ≤ μ ‖(λ_first, …, λ_first+count−1)‖. The row is the first tangent
// of constraint `first`, whose own friction is zero.
struct RoughJoint {
  Eigen::Index first = 0, count = 0;
  double friction = 0;  // μ, times the radius [m] where the row turns
  int slip = 0;         // sign of its velocity; 0: at rest
};

struct ContactSystem {
  int tangents = 1;  // D − 1
  ConstraintSet bilateral, unilateral;
  std::vector<RoughJoint> rough_joints;

  // Freedoms without mass, where M is singular [BBB16, Proposition 1]: the last columns of all
  // rows, which there are gradients ∇h themselves. Forces on them balance, ∇h λ + load = 0, and
  // their accelerations are unknowns of their own, not part of w.
  Eigen::Index massless = 0;
  Eigen::VectorXd load;  // [N] or [N m]

  Eigen::Index size() const { return bilateral.size() + unilateral.size(); }
};

// Whether Ker M ∩ Ker ∇h_bᵀ = {0}: the joints give every massless freedom its acceleration [BBB16,
// (6)].
bool joints_determine_massless(const ContactSystem& system);

// The same contacts in the freedoms that the joints leave, in the metric of their mass: without
// bilateral constraints, without massless freedoms, with the accelerations w that the joints allow.
// Empty where those freedoms have no mass matrix that can be inverted, or joints have friction.
std::optional<ContactSystem> reduced_by_joints(const ContactSystem& system);

// m constraints without anything known about them yet, in a space of `dof` freedoms.
ConstraintSet empty_constraints(Eigen::Index m, int tangents, Eigen::Index dof);

// Rows v_t·H_tᵀ along the direction each constraint slips in; zero rows where it sticks.
SparseRows slip_rows(const ConstraintSet& set, int tangents);

// The matrices of [BBB16, §3], dense: for small systems. ξ is part of the slip rows, so [μξ] = [μ].
struct SlidingMatrices {
  Eigen::MatrixXd A_nb, A_tb;              // ∇h_bᵀM⁻¹∇h_b, ∇h_bᵀM⁻¹H_b
  Eigen::MatrixXd A_nu, A_tu;              // the same, unilateral
  Eigen::MatrixXd A_nbnu, A_nbtu, A_nutb;  // couplings
  Eigen::VectorXd mu_b, mu_u;
};
SlidingMatrices sliding_matrices(const ContactSystem& system);

// A_nu − A_nunb A_nb⁻¹ A_nbnu, the Delassus matrix distorted by the bilateral constraints
// [BBB16, (32)]; with redundant ones by the pseudo-inverse.
Eigen::MatrixXd distorted_delassus(const SlidingMatrices& A);

// A_{u,μ,ξ} = A_nu − A_tu [μ] [BBB16, (49)].
Eigen::MatrixXd unilateral_matrix(const SlidingMatrices& A);

// M_ub^μ of [BBB16, (58)], for independent bilateral constraints; its blocks with μ = 0 are (59).
Eigen::MatrixXd mixed_matrix(const SlidingMatrices& A);
Eigen::MatrixXd mixed_matrix(const SlidingMatrices& A, double mu);  // μ the same everywhere

}  // namespace talus
