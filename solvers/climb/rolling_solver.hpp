// SPDX-License-Identifier: Apache-2.0
// Rolling friction: Gauss–Seidel by whole wrenches with the accelerations of gauss_seidel.hpp, and
// proximal Newton, one after the other from the best answer so far.
#pragma once

#include <span>

#include "solvers/climb/ladder.hpp"
#include "solvers/problem/method.hpp"
#include "solvers/problem/rolling_blocks.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

// Whether a method can solve them; automatic can.
bool sweeps_wrenches(Method method);

// A problem from a file. x is the guess on entry and the answer on return, inside its cones. The
// error is that of RollingBlocks.
template <int D>
SolveReport solve_rolling(const RollingBlocks<D>& problem, Method method,
                          const SolveOptions& options, std::vector<Wrench<D>>& x);

// Some islands of a rigid problem whose contacts pass moments, as climb_islands does those without.
template <int D>
ClimbReport climb_rolling_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                                  std::span<const std::vector<int>> members, Method method,
                                  const SolveOptions& options, Percussions<D>& p);

}  // namespace talus
