// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/ladder.hpp"

#include <algorithm>
#include <numeric>

#include "solvers/climb/climb_all.hpp"
#include "solvers/climb/gauss_seidel.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/problem/factored.hpp"

namespace talus {

namespace {

// Sweeps over all islands at once, from p.contact. The error of the whole says little of its worst
// island: where that one misses the tolerance the sweeps go on.
template <int D, class Problem>
SolveReport sweep_whole(const Problem& whole, const ContactProblem<D>& problem,
                        const Islands<D>& islands, Method method, const SolveOptions& options,
                        int most, Percussions<D>& p) {
  Best<D> best{.p = p.contact};
  std::vector<Vec<D>> u;
  whole.velocities(p.contact, u);
  best.offer(p.contact, whole.error(p.contact, u));
  SolveReport report;
  const bool automatic = method == Method::automatic;
  report.method = name_of(method);
  RungLimits limits{.tolerance = options.tolerance, .deadline = Deadline(options.time_limit)};
  GaussSeidel<D, Problem> sweeps(whole, automatic ? Method::anderson : method);
  while (true) {
    limits.iterations = std::min(most, options.max_sweeps) - report.sweeps;
    int done = 0;
    if (!(best.error <= limits.tolerance) && limits.iterations > 0) {
      done = sweeps.run(p.contact, limits, best);
      report.sweeps += done;
    }
    p.contact = best.p;
    into_cones<D>(problem, p);
    report.error = contact_error<D>(problem, islands, p).relative;
    report.converged = report.error <= options.tolerance;
    if (report.converged || best.error > limits.tolerance) break;
    if (!(report.error > 0) || limits.iterations <= done) break;
    limits.tolerance = 0.5 * best.error * options.tolerance / report.error;
  }
  if (automatic && report.sweeps > 0) report.method += ": anderson";
  return report;
}

bool sweeps_only(Method method) {
  return method == Method::nsgs || method == Method::anderson || method == Method::nncg ||
         method == Method::alternating;
}

// The percussions of an island, and back.
template <int D>
std::vector<Vec<D>> percussions_of(const BlockProblem<D>& island, const Percussions<D>& p) {
  std::vector<Vec<D>> own(island.size(), Vec<D>::Zero());
  for (std::size_t i = 0; i < island.size(); ++i) {
    const std::size_t whole = at(island.member[i]);
    if (island.bilateral[i]) {
      own[i][0] = p.row[whole - p.contact.size()];
    } else {
      own[i] = p.contact[whole];
    }
  }
  return own;
}

template <int D>
void put_back(const BlockProblem<D>& island, std::span<const Vec<D>> own, Percussions<D>& p) {
  for (std::size_t i = 0; i < island.size(); ++i) {
    const std::size_t whole = at(island.member[i]);
    if (island.bilateral[i]) {
      p.row[whole - p.contact.size()] = own[i][0];
    } else {
      p.contact[whole] = own[i];
    }
  }
}

}  // namespace

template <int D>
ClimbReport climb_islands(const ContactProblem<D>& problem,
                          std::span<const std::vector<int>> members, Method method,
                          const SolveOptions& options, const LadderLimits& ladder,
                          Percussions<D>& p) {
  const std::vector<BlockProblem<D>> islands = island_problems<D>(problem, members);
  const RungLimits limits{.tolerance = before_projection * options.tolerance,
                          .iterations = options.max_sweeps,
                          .deadline = Deadline(options.time_limit)};
  std::vector<IslandReport> outcomes(islands.size());
  // Small ones first: an island that takes all the time there is must not keep the others waiting.
  std::vector<std::size_t> order(islands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return islands[i].size() < islands[j].size();
  });
  parallel_chunks(
      islands.size(),
      [&](std::size_t k, std::size_t, std::size_t) {
        const BlockProblem<D>& island = islands[order[k]];
        std::vector<Vec<D>> own = percussions_of<D>(island, p);
        outcomes[order[k]] = solve_island<D>(island, method, limits, own, ladder);
        put_back<D>(island, own, p);
      },
      1);
  ClimbReport report;
  for (const IslandReport& outcome : outcomes) report.add(outcome);
  return report;
}

template <int D>
SolveReport LadderSolver<D>::solve_islands(const ContactProblem<D>& problem,
                                           const Islands<D>& islands, Percussions<D>& p) {
  // Easy problems end here: without W where it can be avoided, and without islands.
  constexpr int sweeps_without_W = 100, sweeps_without_islands = 20;
  const bool automatic = method_ == Method::automatic;
  SolveReport first;
  if (std::holds_alternative<FactoredOperator<D>>(problem.W) &&
      (automatic || sweeps_only(method_))) {
    first = sweep_whole<D>(FactoredProblem<D>(problem), problem, islands, method_, options_,
                           automatic ? sweeps_without_W : options_.max_sweeps, p);
    first.method += " without W";
    if (first.converged || !automatic) return first;
  } else if (automatic && std::holds_alternative<DelassusOperator<D>>(problem.W)) {
    first = sweep_whole<D>(unsplit<D>(problem), problem, islands, method_, options_,
                           sweeps_without_islands, p);
    if (first.converged) return first;
  }
  const ClimbReport climb =
      climb_all<D>(problem, islands, islands.members(), method_, options_, LadderLimits{}, p);
  into_cones<D>(problem, p);
  SolveReport report;
  report.sweeps = first.sweeps + climb.iterations;
  report.error = contact_error<D>(problem, islands, p).relative;
  report.converged = report.error <= options_.tolerance;
  report.method = name_of(method_);
  if (automatic && climb.highest != Method::automatic)
    report.method += std::string(": ") += name_of(climb.highest);
  if (!report.converged && islands.count() > 1)
    report.method += ", " + std::to_string(climb.open) + " of " + std::to_string(islands.count()) +
                     " islands left";
  return report;
}

#define TALUS_INSTANTIATE(D)                                                                    \
  template ClimbReport climb_islands<D>(                                                        \
      const ContactProblem<D>&, std::span<const std::vector<int>>, Method, const SolveOptions&, \
      const LadderLimits&, Percussions<D>&);                                                    \
  template class LadderSolver<D>;

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
