// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers of a system whose constraints are known to act,
//     M q̈ = Q + Aᵀλ,   A q̈ + c = 0,
// in three formulations that agree, redundant constraints or not. They check each other and the
// modes of a configuration.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace talus {

struct ConstrainedSystem {
  Eigen::MatrixXd M, A;
  Eigen::VectorXd Q;  // −F of [BBB16, (1a)]
  Eigen::VectorXd c;  // d/dt(∇hᵀ)q̇ and what depends on time
};

struct ConstrainedMotion {
  Eigen::VectorXd acceleration;  // q̈
  Eigen::VectorXd multipliers;   // λ, of least norm
};

// Whether q̈ and Aᵀλ are unique: Ker M ∩ Ker A = {0} [BBB16, (6), Appendix E (iii'), (iv)]. M may be
// singular.
bool determines_motion(const ConstrainedSystem& system);

// The KKT system [BBB16, (4)]. Empty where the constraints are not compatible, c ∉ Im A.
std::optional<ConstrainedMotion> by_kkt(const ConstrainedSystem& system);

// Gauss's principle: q̈ = argmin ½ zᵀM z − Qᵀz over A z + c = 0 [BBB16, (5)].
std::optional<ConstrainedMotion> by_gauss(const ConstrainedSystem& system);

// Aghili's projection of the acceleration without constraints, q̈ = (I − S) q̈* + S (−A⁺c), where
// −A⁺c is Ω q̇ of constraints that do not depend on time [A05, (13)], and λ = A⁺ᵀf of the force
// f = Sᵀ(−Q) + SᵀM(−A⁺c) [A05, (14)]. M > 0.
ConstrainedMotion by_projection(const ConstrainedSystem& system);

// Gauss's principle with unilateral constraints without friction: the projection of M⁻¹Q, in the
// metric of M, on { A z + c = 0, B z + d ≥ 0 } [BBB16, (15), (27), (28)]. M > 0. Empty where that
// set is.
std::optional<Eigen::VectorXd> by_gauss(const ConstrainedSystem& system, const Eigen::MatrixXd& B,
                                        const Eigen::VectorXd& d);

}  // namespace talus
