// SPDX-License-Identifier: Apache-2.0
// Aghili's impact by linear projection [A05]: closed forms in the generalised velocities, whatever
// the rank of the constraints.
#pragma once

#include <Eigen/Core>

#include "solvers/impact/impact_problem.hpp"

namespace talus {

// For a mass matrix M and a Jacobian A of any rank: P, the orthogonal projector on the null space
// of A; M_c = P M P + ν (I − P) [A05, (8)]; the oblique projector S = I − M_c⁻¹ P M [A05, (10)];
// the reflection R = I − 2 S [A05, (28)]; M_o⁺ = M_c⁻¹ P [A05, (9c)].
struct ObliqueProjection {
  Eigen::MatrixXd A_pinv, P, S, R, M_o_pinv;

  ObliqueProjection(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A);
};

// q̇⁺ = q̇⁻ − S (Ẽ + I) q̇⁻ with Ẽ = A⁺ E A [A05, (44), (49)]; E = e I is the global coefficient (27).
Eigen::VectorXd projected_velocity(const ObliqueProjection& projection, const Eigen::MatrixXd& A,
                                   const Eigen::MatrixXd& E, const Eigen::VectorXd& v);

// The same of constraints that move by themselves, φ̇ = A q̇ + c: φ̇⁺ = −E φ̇⁻.
Eigen::VectorXd projected_velocity(const ObliqueProjection& projection, const Eigen::MatrixXd& A,
                                   const Eigen::VectorXd& c, const Eigen::MatrixXd& E,
                                   const Eigen::VectorXd& v);

// Q = GᵀM G, G = S A⁺ [A05, (54)]: the loss of energy is ½ φ̇ᵀ(E Q E − Q) φ̇, φ̇ = A q̇⁻ [A05, (53)],
// and the law cannot gain any if E Q E − Q ⪯ 0.
Eigen::MatrixXd loss_metric(const ObliqueProjection& projection, const Eigen::MatrixXd& M);

struct ProjectionLaw {};

// All contacts that close or rest become constraints, E = diag(restitution); contacts that open
// stay out; joints are constraints that keep their velocities. No friction, and no complementarity:
// percussions may pull, which the judgement tells. Among the percussions that give the same motion,
// the shortest.
template <int D>
ImpactAnswer<D> projection_impact(const ImpactProblem<D>& impact, const ProjectionLaw& law);

}  // namespace talus
