// SPDX-License-Identifier: Apache-2.0
// The conditions of impact_conditions.hpp, evaluated for the contacts, masses and coefficients of
// one impact (the forecast).
#pragma once

#include <optional>

#include "solvers/impact/impact_conditions.hpp"
#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/impact/restitution_verdict.hpp"

namespace talus {

// How Theorem 2 was looked at: way by way, the worst of all; or all ways at once by norms.
struct SlidingOutlook {
  SlidingConditions conditions;
  std::size_t rough = 0;    // contacts with friction
  bool way_by_way = false;  // else by norms
};

struct ImpactOutlook {
  Eigen::MatrixXd G, E_nn;   // normalised Delassus matrix, restitution between quasi-velocities
  Eigen::VectorXd norms;     // ‖∇h_i‖ in the metric of M⁻¹: u_N = ‖∇h‖ q̇_norm
  bool independent = false;  // G > 0, which all but Aghili's condition ask for
  RestitutionRule rule = RestitutionRule::complementarity;
  RestitutionConditions normal;
  RestitutionVerdict frictionless;
  bool one_restitution = false;                   // (3) of restitution_verdict.hpp
  std::optional<FullRestitutionConditions> full;  // where the law has quasi-tangential blocks
  std::optional<SlidingOutlook> sliding;          // where there is friction: Theorem 2
  bool walls_apart = false;  // which move against each other: Theorem 2 is about walls at rest
  double normal_ratio = 0;  // ‖q̇_norm⁻‖/‖q̇_tan⁻‖ of this arrival, which Theorem 2 is held against
  double projection_gain = 0;   // Aghili's, for E = diag(restitution), as a part of λ_max(Q)
  double projection_scale = 0;  // the largest s for which s E does not gain

  // Whether all arrivals in which no contact opens are admissible by what is proved; with friction,
  // where restitution is not one value, this arrival, whatever slides or sticks.
  Verdict admissible = Verdict::unknown;
};

// Under a law of restitution by a matrix; Newton's and Moreau's are its diagonal. In the plane the
// corners of the box |ξ_i| ≤ 1 of all ways to slide or stick are tried for Theorem 2, in space
// those of a polygon about the disk |ξ_i| ≤ 1: where E(q) exists all over it, each of its entries
// is a quotient of affine functions of ξ_i, and norms of those are largest and percussions least at
// corners. Where there are too many, by norms. Dense: for hundreds of contacts at most.
template <int D>
ImpactOutlook impact_outlook(const ImpactProblem<D>& impact, const MatrixLaw& law,
                             RestitutionRule rule = RestitutionRule::complementarity);

}  // namespace talus
