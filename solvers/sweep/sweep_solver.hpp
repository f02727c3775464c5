// SPDX-License-Identifier: Apache-2.0
// The solver of a run: accelerated Gauss–Seidel sweeps of a rigid problem, island by island.
//
// An island is swept until its share of the error is within the tolerance, with the acceleration
// that suits it: Anderson's in small islands, momentum in large ones. Where that stalls the other
// and then sweeps in alternating direction are tried, each from the best percussions so far; the
// report names the last method that was needed. The best percussions by the true error are
// returned. A warm solve allocates nothing.
#pragma once

#include <limits>
#include <span>

#include "solvers/problem/method.hpp"
#include "solvers/problem/solver.hpp"
#include "solvers/sweep/anderson.hpp"
#include "solvers/sweep/sweep.hpp"

namespace talus {

struct SweepOptions {
  Method method = Method::automatic;  // or one that only sweeps
  int window = 0;  // of Anderson acceleration, 2 to 16; 0: by the size of the problem
  // Stalled: for this part of the budget of sweeps the best error stays above that part of what it
  // was. Who allows more sweeps gives slow progress more time.
  double stall_share = 0.04;
  double stall_progress = 0.9;
};

template <int D>
class SweepSolver final : public Solver<D> {
 public:
  explicit SweepSolver(SolveOptions options = {}, SweepOptions sweep_options = {})
      : options_(options), sweep_options_(sweep_options) {}

 private:
  // The problem must be in rigid form.
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override;

  struct IslandState {
    int sweeps = 0;
    double scale = 1;                                          // of its error [m/s]
    double squares = std::numeric_limits<double>::infinity();  // Σ e² of the best percussions
    std::size_t rung = 0;                                      // of its ladder, in use
  };

  int window_for(std::size_t contacts) const;
  std::span<const Method> ladder_of(const Island& island) const;
  void find_scales(const ContactProblem<D>& problem);
  void sweep_islands(double tolerance);
  void sweep_island(std::size_t island, double squares_wanted);
  bool run_rung(std::size_t island, Method method, double squares_wanted);
  void keep_best(Range percussions);

  SolveOptions options_;
  SweepOptions sweep_options_;
  Sweep<D> sweep_;
  AccelerationMemory memory_;
  AlignedNumbers best_;
  std::vector<IslandState> states_;
  std::vector<Range> tasks_;  // islands solved side by side
};

}  // namespace talus
