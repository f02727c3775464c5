// SPDX-License-Identifier: Apache-2.0
// The laws of impact a scene can choose from.
#pragma once

#include <variant>

#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/lzb.hpp"
#include "solvers/impact/poisson.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/restitution_matrix.hpp"

namespace talus {

// Moreau's: percussions against the weighted mean of velocities before and after, ρ and τ per
// contact. It needs no stage of its own: restitution enters the contact problem of the step.
struct MoreauLaw {};

using ImpactLaw = std::variant<MoreauLaw, MatrixLaw, PoissonLaw, LzbLaw, ProjectionLaw>;

// Whether the law acts on velocities before the step's contact problem, which then knows no
// restitution.
inline bool acts_before_contact(const ImpactLaw& law) {
  return !std::holds_alternative<MoreauLaw>(law);
}

// Percussions by a law that acts before the contact problem.
template <int D>
ImpactAnswer<D> solve_impact(const ImpactProblem<D>& impact, const ImpactLaw& law);

}  // namespace talus
