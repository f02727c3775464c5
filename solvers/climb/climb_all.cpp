// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/climb_all.hpp"

#include "solvers/climb/rolling_solver.hpp"

namespace talus {

template <int D>
ClimbReport climb_all(const ContactProblem<D>& problem, const Islands<D>& islands,
                      std::span<const std::vector<int>> members, Method method,
                      const SolveOptions& options, const LadderLimits& ladder, Percussions<D>& p) {
  if (!problem.has_moments()) return climb_islands<D>(problem, members, method, options, ladder, p);
  return climb_rolling_islands<D>(problem, islands, members,
                                  sweeps_wrenches(method) ? method : Method::automatic, options, p);
}

template ClimbReport climb_all<2>(const ContactProblem<2>&, const Islands<2>&,
                                  std::span<const std::vector<int>>, Method, const SolveOptions&,
                                  const LadderLimits&, Percussions<2>&);
template ClimbReport climb_all<3>(const ContactProblem<3>&, const Islands<3>&,
                                  std::span<const std::vector<int>>, Method, const SolveOptions&,
                                  const LadderLimits&, Percussions<3>&);

}  // namespace talus
