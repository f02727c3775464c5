// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/rolling_solver.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "solvers/climb/block_lu.hpp"
#include "solvers/climb/gauss_seidel.hpp"
#include "solvers/climb/proximal_newton.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/problem/rolling_island.hpp"

namespace talus {

namespace {

constexpr Method sweeping[] = {Method::nsgs, Method::anderson, Method::nncg, Method::alternating};
// How much work a factorisation may be, in products of blocks: seconds for a
// file, less than a sweep of a heap in a step.
constexpr double products_for_file = 5e7, products_in_step = 1e6;

// One island, or the one problem of a file, on its way up.
template <class Problem>
class RollingClimb {
 public:
  static constexpr int N = Problem::width;

  RollingClimb(const Problem& problem, const RungLimits& limits, double most_products,
               std::vector<Vec<N>> start)
      : problem_(problem), limits_(limits), most_products_(most_products), best_{.p = start} {
    std::vector<Vec<N>> y;
    problem.velocities(start, y);
    best_.offer(start, problem.error(start, y));
  }

  // Sweeps first: most problems end there. Newton ends the others, where W can
  // be factorised. Where both are stuck they begin again from no percussions.
  void automatic() {
    settle();
    if (over() || problem_.size() > most_to_begin_again) return;
    RollingClimb again(problem_, limits_, most_products_,
                       std::vector<Vec<N>>(problem_.size(), Vec<N>::Zero()));
    again.settle();
    iterations_ += again.iterations_;
    if (best_.offer(again.best_.p, again.best_.error)) rung_ = again.rung_;
  }

  bool sweep(Method method, int count) {
    return climb(method, [&] {
      std::vector<Vec<N>> x = best_.p;
      return GaussSeidel<N, Problem>(problem_, method).run(x, at_most(count), best_);
    });
  }

  const std::vector<Vec<N>>& best() const { return best_.p; }
  IslandReport report() const { return {iterations_, rung_, best_.error, done()}; }

 private:
  static constexpr int first_sweeps = 100;
  static constexpr int newton_steps = 60;    // of the first climb
  static constexpr int settle_steps = 1000;  // of each method in turn
  static constexpr double proximity = 0.01;  // of Newton's proximal steps, at first
  static constexpr double loose_proximity = 0.1, near_proximity = 1e-3;
  static constexpr std::size_t most_to_begin_again = 500;
  static constexpr std::size_t most_blocks = 3'000'000;  // of factors

  void settle() {
    sweep(Method::anderson, first_sweeps);
    newton(newton_steps, proximity);
    for (bool helped = true; helped && !over();) {
      helped = sweep(Method::anderson, settle_steps);
      helped = sweep(Method::nncg, settle_steps) || helped;
      helped = sweep(Method::alternating, settle_steps) || helped;
      helped = newton(settle_steps, loose_proximity) || helped;
      helped = newton(settle_steps, near_proximity) || helped;
    }
  }

  bool done() const { return best_.error <= limits_.tolerance; }
  bool over() const {
    return done() || iterations_ >= limits_.iterations || limits_.deadline.passed();
  }
  RungLimits at_most(int count) const {
    RungLimits limits = limits_;
    limits.iterations = std::min(count, limits_.iterations - iterations_);
    return limits;
  }

  // Runs a rung and says whether it helped, by a tenth at least.
  template <class Run>
  bool climb(Method rung, Run run) {
    if (over()) return false;
    const double before = best_.error;
    iterations_ += run();
    if (best_.error < before) rung_ = rung;
    return best_.error < 0.9 * before;
  }

  bool newton(int count, double epsilon) {
    if (over() || !factorable()) return false;
    return climb(Method::proximal, [&] {
      return ProximalNewton<Problem>(problem_, W_, factors_).run(at_most(count), epsilon, best_);
    });
  }

  // Whether factors of W fit. W is assembled and the order of elimination worked out once.
  bool factorable() {
    if (!factorable_) {
      W_ = problem_.delassus();
      factorable_ = factors_.analyse(W_, most_blocks, most_products_);
    }
    return *factorable_;
  }

  const Problem& problem_;
  RungLimits limits_;
  double most_products_;
  Best<N> best_;
  int iterations_ = 0;
  Method rung_ = Method::automatic;
  DelassusOperator<N> W_;
  BlockLu<N> factors_;
  std::optional<bool> factorable_;
};

template <class Problem, int N = Problem::width>
IslandReport climb_wrenches(const Problem& problem, Method method, const RungLimits& limits,
                            double most_products, std::vector<Vec<N>>& x) {
  RollingClimb<Problem> climb(problem, limits, most_products, std::move(x));
  if (method == Method::automatic) {
    climb.automatic();
  } else {
    climb.sweep(method, limits.iterations);
  }
  x = climb.best();
  return climb.report();
}

}  // namespace

bool sweeps_wrenches(Method method) {
  return method == Method::automatic ||
         std::find(std::begin(sweeping), std::end(sweeping), method) != std::end(sweeping);
}

template <int D>
SolveReport solve_rolling(const RollingBlocks<D>& problem, Method method,
                          const SolveOptions& options, std::vector<Wrench<D>>& x) {
  const IslandReport climbed = climb_wrenches(problem, method,
                                              {.tolerance = 0.9 * options.tolerance,
                                               .iterations = options.max_sweeps,
                                               .deadline = Deadline(options.time_limit)},
                                              products_for_file, x);
  SolveReport report;
  report.sweeps = climbed.iterations;
  report.method = name_of(method);
  if (method == Method::automatic && climbed.rung != Method::automatic)
    report.method = std::string("auto: ") += name_of(climbed.rung);
  for (std::size_t i = 0; i < x.size(); ++i) problem.law_of(i).put_inside(x[i]);
  std::vector<Wrench<D>> y;
  problem.velocities(x, y);
  report.error = problem.error(x, y);
  report.converged = report.error <= options.tolerance;
  return report;
}

template <int D>
ClimbReport climb_rolling_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                                  std::span<const std::vector<int>> members, Method method,
                                  const SolveOptions& options, Percussions<D>& p) {
  const RungLimits limits{.tolerance = before_projection * options.tolerance,
                          .iterations = options.max_sweeps,
                          .deadline = Deadline(options.time_limit)};
  std::vector<IslandReport> outcomes(members.size());
  parallel_chunks(
      members.size(),
      [&](std::size_t k, std::size_t, std::size_t) {
        const RollingIsland<D> island(problem, islands, members[k]);
        std::vector<Wrench<D>> x = island.wrenches(p);
        outcomes[k] = climb_wrenches(island, method, limits, products_in_step, x);
        island.put_back(x, p);
      },
      1);
  ClimbReport report;
  for (const IslandReport& outcome : outcomes) report.add(outcome);
  return report;
}

#define TALUS_INSTANTIATE(D)                                                                  \
  template SolveReport solve_rolling<D>(const RollingBlocks<D>&, Method, const SolveOptions&, \
                                        std::vector<Wrench<D>>&);                             \
  template ClimbReport climb_rolling_islands<D>(const ContactProblem<D>&, const Islands<D>&,  \
                                                std::span<const std::vector<int>>, Method,    \
                                                const SolveOptions&, Percussions<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
