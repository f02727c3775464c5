// SPDX-License-Identifier: Apache-2.0
// The kinetic quasi-velocities of an impact [B12, (6)]: with w = M^(1/2) q̇, the normal ones
// q̇_norm = N w along the unit vectors n_q of the contacts, the tangential ones q̇_tan = T w along an
// orthonormal basis of what is orthogonal to them. Kinetic energy is ½ |w|².
//
// The basis T is B12's t_q up to a choice that restitution between tangential velocities depends
// on: the freedoms of the bodies in their order (x, y(, z), turns), each made orthogonal to the
// normals and to those before it; what vanishes is left out. What joints forbid is in neither. For
// a block on the floor it is √m ẋ [B12, (32)].
//
// Velocities are relative to walls that move, which the document does not have: of walls that
// translate alike, those of an observer who goes with them; else q̇ is changed by as little as makes
// ḣ = ∇hᵀq̇, and then by as little across the normals as makes the slip of every rough contact
// H_Tᵀq̇.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solvers/impact/impact_problem.hpp"

namespace talus {

struct QuasiVelocities {
  Eigen::MatrixXd N, T;      // p' × n and (n − p') × n, rows of unit length
  Eigen::VectorXd norms;     // ‖∇h_i‖ in the metric of M⁻¹, one per contact
  Eigen::MatrixXd H_N, H_T;  // columns M^(−1/2)∇h_i, and M^(−1/2) of every tangential percussion
  Eigen::VectorXd w;         // M^(1/2) q̇⁻, relative to the walls
  std::vector<Eigen::Index> freedoms;  // that the rows of T were made from
  bool goes_with_walls = true;         // whether there is such a q̇

  Eigen::MatrixXd G() const { return N * N.transpose(); }  // normalised Delassus matrix
  Eigen::VectorXd normal() const { return along(N); }      // q̇_norm⁻
  Eigen::VectorXd tangential() const { return along(T); }  // q̇_tan⁻

 private:
  // What is rounding of w counts as none: a contact that slides does not close.
  Eigen::VectorXd along(const Eigen::MatrixXd& units) const {
    const Eigen::VectorXd q = units * w;
    return (q.array().abs() > 1e-14 * w.norm()).select(q, 0);
  }
};

// The quasi-velocities and their parts of the kinetic energy [B12, (15)–(17)]:
//     T = ½ q̇_normᵀG⁻¹q̇_norm + ½ |q̇_tan|²
// of bodies whose joints are kept. G⁻¹ is the pseudo-inverse where normals depend on each other.
struct QuasiState {
  Eigen::VectorXd normal, tangential;               // [√J]
  double normal_energy = 0, tangential_energy = 0;  // [J]
};
QuasiState quasi_state(const QuasiVelocities& quasi);

// The energies alone, of any velocities of the bodies that keep the joints: without a basis T, with
// the Delassus operator of impact_delassus, where walls are at rest. What is not quasi-normal is
// quasi-tangential.
struct QuasiEnergies {
  double normal = 0, tangential = 0;  // [J]
};
template <int D>
QuasiEnergies quasi_energies(const ImpactProblem<D>& impact, const DelassusOperator<D>& W,
                             std::span<const Twist<D>> v);

// Of all contacts of the impact. H_T has D − 1 columns per contact, in their order.
template <int D>
QuasiVelocities quasi_velocities(const ImpactProblem<D>& impact);

// With T from these freedoms alone: those of a configuration close by, so that T is continuous. Of
// itself it is not where a freedom lies along the normals, which is left out there and nowhere
// else.
template <int D>
QuasiVelocities quasi_velocities(const ImpactProblem<D>& impact,
                                 std::span<const Eigen::Index> freedoms);

}  // namespace talus
