// SPDX-License-Identifier: Apache-2.0
// Islands of a problem, each on its own way up the ladder (climb.hpp). Islands do not know of each
// other, so the answer is the same on any number of threads.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "solvers/climb/climb.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

// Of the tolerance, what is asked of the percussions of an island before they are put into their
// cones: that may add to their error.
constexpr double before_projection = 0.7;

struct ClimbReport {
  int iterations = 0;                  // of the island that took most
  Method highest = Method::automatic;  // rung that found an answer
  std::size_t open = 0;                // islands that missed the tolerance

  void add(const IslandReport& island) {
    iterations = std::max(iterations, island.iterations);
    highest = std::max(highest, island.rung);
    open += !island.done;
  }
};

// Solves some islands, given by their unknowns (Islands::members), and leaves the others alone.
// What has to be assembled is assembled for these.
template <int D>
ClimbReport climb_islands(const ContactProblem<D>& problem,
                          std::span<const std::vector<int>> members, Method method,
                          const SolveOptions& options, const LadderLimits& ladder,
                          Percussions<D>& p);

// Solves a problem in any form, all of its islands. Reports name the rung that found the answer.
template <int D>
class LadderSolver final : public Solver<D> {
 public:
  explicit LadderSolver(Method method = Method::automatic, SolveOptions options = {})
      : method_(method), options_(options) {}

 private:
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override;

  Method method_;
  SolveOptions options_;
};

}  // namespace talus
