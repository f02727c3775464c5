// SPDX-License-Identifier: Apache-2.0
// Islands on the ladder, with the time of a step or with all there is, whether their contacts pass
// moments or not.
#pragma once

#include "solvers/climb/ladder.hpp"

namespace talus {

// A step of a heap of thousands of grains takes some ten milliseconds to sweep; an island may take
// many factorisations, so each must be cheap against that.
inline constexpr LadderLimits within_a_step{.block_products = 5e6, .in_run = true};

// As climb_islands. A method that knows no moments is `automatic` where there are any.
template <int D>
ClimbReport climb_all(const ContactProblem<D>& problem, const Islands<D>& islands,
                      std::span<const std::vector<int>> members, Method method,
                      const SolveOptions& options, const LadderLimits& ladder, Percussions<D>& p);

}  // namespace talus
