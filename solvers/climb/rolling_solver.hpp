// SPDX-License-Identifier: Apache-2.0
// Problems with rolling friction from files: Gauss–Seidel by whole wrenches with the accelerations
// of gauss_seidel.hpp, one after the other from the best answer so far. The direct methods of the
// ladder know no moments.
#pragma once

#include "solvers/problem/method.hpp"
#include "solvers/problem/rolling_blocks.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

// Whether a method can solve them; automatic can.
bool sweeps_wrenches(Method method);

// x is the guess on entry and the answer on return, inside its cones. The error is that of
// RollingBlocks.
template <int D>
SolveReport solve_rolling(const RollingBlocks<D>& problem, Method method,
                          const SolveOptions& options, std::vector<Wrench<D>>& x);

}  // namespace talus
