// SPDX-License-Identifier: Apache-2.0
// The conditions of impact_conditions.hpp, evaluated for the contacts, masses and coefficients of
// one impact (the forecast).
#pragma once

#include <optional>

#include "solvers/impact/impact_conditions.hpp"
#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/restitution_matrix.hpp"

namespace talus {

struct ImpactOutlook {
  Eigen::MatrixXd G, E_nn;   // normalised Delassus matrix, restitution between quasi-velocities
  bool independent = false;  // G > 0, which all but Aghili's condition ask for
  RestitutionConditions normal;
  std::optional<FullRestitutionConditions> full;  // where the law has quasi-tangential blocks
  std::optional<SlidingConditions> sliding;       // where there is friction: Theorem 2
  double normal_ratio = 0;  // ‖q̇_norm⁻‖/‖q̇_tan⁻‖ of this arrival, which Theorem 2 is held against
  double projection_gain = 0;  // Aghili's, for E = diag(restitution), as a part of λ_max(Q)

  // Whether all arrivals (with friction: this one) are admissible by what is proved. Without
  // friction Proposition 8 decides; with it Theorem 2 can say yes, and nothing says no.
  Verdict admissible = Verdict::unknown;
};

// Under a law of restitution by a matrix; Newton's and Moreau's are its diagonal. Friction may
// slide either way at every contact (in space: along the slip of arrival), and what is told is the
// worst of all, as long as there are few enough to try. Dense: for hundreds of contacts at most.
template <int D>
ImpactOutlook impact_outlook(const ImpactProblem<D>& impact, const MatrixLaw& law);

}  // namespace talus
