// SPDX-License-Identifier: Apache-2.0
// Constraints seen in the kinetic metric ⟨x, y⟩ = xᵀM y [B12, §2]. Everything follows from the
// gradients ∇h_i weighted with M^(−1/2): their inner products are the Delassus matrix, their
// angles the kinetic angles.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// One component of a contact's velocity as a scalar row: column k of its frame, 0 the normal.
template <int D>
LinearRow<D> component_row(const ContactRow<D>& contact, int k);

// The relative velocity of a contact along a unit vector of world axes.
template <int D>
LinearRow<D> direction_row(const ContactRow<D>& contact, const Vec<D>& direction);

// L with L Lᵀ = I⁻¹ (Cholesky's), so that Lᵀm is the weighted gradient of a row with moment m.
// Bodies whose rotation is locked give L = 0.
template <int D>
SpinMat<D> inertia_root(const SpinMat<D>& inverse_inertia);

// Rows (M^(−1/2) ∇h_i)ᵀ, one per constraint; columns are the freedoms of the bodies that move,
// dof_of_body[i] their first (−1: does not move).
template <int D>
struct KineticGradients {
  SparseRows rows;
  std::vector<int> dof_of_body;
};
template <int D>
KineticGradients<D> kinetic_gradients(std::span<const LinearRow<D>> rows,
                                      std::span<const MassBlock<D>> mass);

// ∇hᵀM⁻¹∇h, the Delassus matrix of scalar constraints; ‖∇h_i‖ in the metric of M⁻¹.
Eigen::SparseMatrix<double> delassus(const SparseRows& gradients);
Eigen::VectorXd gradient_norms(const SparseRows& gradients);

// G = n_qᵀ M n_q with n_{q,i} = M⁻¹∇h_i/‖∇h_i‖ [B12, (3)]: the Delassus matrix normalised to a unit
// diagonal. Rows that move nothing (norm 0) keep a zero diagonal.
Eigen::SparseMatrix<double> normalised_delassus(const SparseRows& gradients);

// θ_ij = π − arccos G_ij [B12, (21)], in radians: below π/2 the constraints pull apart, π/2 they
// are orthogonal, and G = −cos θ.
double kinetic_angle(double G_ij);

// Quasi-velocities [B12, (6)] of a motion whose constraint velocities ∇h_iᵀq̇ are given: the normal
// ones ∇h_iᵀq̇/‖∇h_i‖, and the kinetic energy they carry, ½ q̇_normᵀ G⁺ q̇_norm. What is left of the
// kinetic energy is quasi-tangential. Dense: for small problems.
Eigen::VectorXd quasi_normal_velocities(const SparseRows& gradients,
                                        const Eigen::VectorXd& constraint_velocities);
double quasi_normal_energy(const SparseRows& gradients,
                           const Eigen::VectorXd& constraint_velocities);

}  // namespace talus
