// SPDX-License-Identifier: Apache-2.0
// How easily the contacts and stops of an impact yield along their normals, joints included.
#pragma once

#include <vector>

#include "solvers/impact/impact_problem.hpp"

namespace talus {

// W_NN of each contact and stop [1/kg], the diagonal of impact_delassus alone:
//     W_NN = n·M⁻¹n − c·K⁻¹c,   c = J M⁻¹ n
// Joints that share no body with the contact take nothing off.
template <int D>
std::vector<double> normal_inertias(const ImpactProblem<D>& impact);

}  // namespace talus
