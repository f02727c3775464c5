// SPDX-License-Identifier: Apache-2.0
// How the bodies of a configuration accelerate under the forces of one solution of its contact
// problem, and the same by other formulations.
#pragma once

#include <optional>
#include <vector>

#include "engine/outlook/active_constraints.hpp"
#include "solvers/analysis/constrained_motion.hpp"
#include "solvers/analysis/contact_modes.hpp"

namespace talus {

// q̈ = −M⁻¹F + M⁻¹(∇h λ_n + H λ_t) [BBB16, (1a)] per body, the resting world last.
template <int D>
std::vector<Twist<D>> accelerations(const ActiveConstraints<D>& active,
                                    const ModeSolution& solution);

// How far the accelerations of a solution are from those of other formulations, in which its closed
// and sticking contacts are constraints and its sliding friction a load; relative to the largest.
struct Formulations {
  double kkt = 0;         // [BBB16, (4)]
  double gauss = 0;       // [BBB16, (5)]; without friction contacts may open, (27)
  double projection = 0;  // [A05, (13)]
};

// Empty where the bodies have more than `most_freedoms`, or a formulation finds no motion.
template <int D>
std::optional<Formulations> other_formulations(const ActiveConstraints<D>& active,
                                               const ModeSolution& solution,
                                               Eigen::Index most_freedoms = 300);

}  // namespace talus
