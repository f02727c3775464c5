// SPDX-License-Identifier: Apache-2.0
// All modes of an impact with friction: every choice of stick, slide and detach that percussions
// fit [B12, (67) and Propositions 10, 11]. In û = u⁺ + E u⁻ = W P + b an impact is the contact
// problem of bodies at rest, with percussions for forces and û for accelerations: its modes are
// those of contact_modes.hpp. None, one or several may exist.
#pragma once

#include "solvers/analysis/contact_modes.hpp"
#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/restitution_matrix.hpp"

namespace talus {

// The contact system whose forces are the percussions of the impact, under Moreau's law or a matrix
// without quasi-tangential blocks. Joints are its bilateral constraints; stops come last.
template <int D>
ContactSystem impact_system(const ImpactProblem<D>& impact, const MatrixLaw& law);

// Percussions of a mode, in the frames of the contacts.
template <int D>
std::vector<Vec<D>> mode_percussions(const ModeSolution& mode);

}  // namespace talus
