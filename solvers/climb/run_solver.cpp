// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/run_solver.hpp"

#include <utility>

#include "solvers/climb/climb_all.hpp"

namespace talus {

namespace {

// Contacts of an island that W is assembled for.
constexpr std::size_t largest_island = 4000;

}  // namespace

template <int D>
SolveReport ContactSolver<D>::solve_islands(const ContactProblem<D>& problem,
                                            const Islands<D>& islands, Percussions<D>& p) {
  SolveReport report = sweeps_.solve(problem, islands, p);
  if (report.converged) return report;
  measure_(problem, islands, p, velocities<D>(problem, p));
  std::vector<std::vector<int>> open = islands.members();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < open.size(); ++k)
    if (!(measure_.of_island(static_cast<int>(k)) <= options_.tolerance) &&
        open[k].size() <= largest_island)
      std::swap(open[kept++], open[k]);
  open.resize(kept);
  if (open.empty()) return report;

  const ClimbReport climb =
      climb_all<D>(problem, islands, open, Method::automatic, options_, within_a_step, p);
  report.sweeps += climb.iterations;
  into_cones<D>(problem, p);
  report.error = contact_error<D>(problem, islands, p).relative;
  report.converged = report.error <= options_.tolerance;
  if (climb.highest != Method::automatic) report.method = name_of(climb.highest);
  return report;
}

template class ContactSolver<2>;
template class ContactSolver<3>;
template class RunSolver<2>;
template class RunSolver<3>;

}  // namespace talus
