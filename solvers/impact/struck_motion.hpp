// SPDX-License-Identifier: Apache-2.0
// More of Aghili's projection [A05]: the constraint inertia matrix, the rate of the projector, and
// impacts with a blow from outside.
#pragma once

#include <Eigen/Core>

#include "solvers/impact/projection_impact.hpp"

namespace talus {

// M_c = P M P + ν (I − P) [A05, (8)] for the projector P on n − r freedoms. ν = tr(PMP)/(n − r) is
// the mean of the eigenvalues of P M P that are not zero, and so between them (9f), where cond(M_c)
// is least.
Eigen::MatrixXd constraint_inertia(const Eigen::MatrixXd& M, const Eigen::MatrixXd& P);

// Ω = Λ − Λᵀ with Λ = −A⁺ȦP [A05, (6)], printed with the opposite sign: where A q̇ = 0, the part of
// q̈ across the null space of A is Ω q̇ = −A⁺Ȧ q̇.
Eigen::MatrixXd turning_rate(const ObliqueProjection& projection, const Eigen::MatrixXd& A_dot);

// A system that is struck by a generalised impulse i_u while its constraints hold, one coefficient
// e at those that close [A05, (19)]: velocities q̇⁺ = q̇⁻ − (1 + e) S q̇⁻ + M_o⁺ i_u (27), multipliers
// of least norm of the impulse of constraints −Sᵀ((1 + e) M q̇⁻ + i_u) (30), the change of kinetic
// energy (31), and the part γ of it that the impact alone leaves (35).
struct StruckMotion {
  Eigen::VectorXd velocity, multipliers;
  double energy_change = 0, energy_ratio = 1;
};
StruckMotion strike(const ObliqueProjection& projection, const Eigen::MatrixXd& M, double e,
                    const Eigen::VectorXd& v, const Eigen::VectorXd& i_u);

}  // namespace talus
