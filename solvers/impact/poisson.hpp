// SPDX-License-Identifier: Apache-2.0
// Poisson's law: an impact in two phases. Compression ends with every contact that closed at rest;
// expansion gives back at least the part ε of the normal percussions of compression, more where
// contacts would else close. Friction is Coulomb's in both.
//     compression   u_c = u⁻ + W P_c,    0 ≤ P_cN ⟂ u_cN ≥ 0
//     expansion     u⁺  = u_c + W P_e,   0 ≤ P_eN − ε P_cN ⟂ u_N⁺ ≥ 0
#pragma once

#include "solvers/impact/impact_problem.hpp"

namespace talus {

struct PoissonLaw {};

// With ε = restitution. P = P_c + P_e, each in its cone.
template <int D>
ImpactAnswer<D> poisson_impact(const ImpactProblem<D>& impact, const PoissonLaw& law);

}  // namespace talus
