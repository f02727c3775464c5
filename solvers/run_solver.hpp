// What a run solves its steps with: fast sweeps, and the ladder for the steps on which they stall.
#pragma once

#include "solvers/ladder.hpp"
#include "solvers/solver.hpp"
#include "solvers/sweep_solver.hpp"

namespace talus {

template <int D>
class RunSolver final : public Solver<D> {
 public:
  explicit RunSolver(SolveOptions options = {})
      : sweeps_(options), ladder_(Method::automatic, options) {}

  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) override;

 private:
  SweepSolver<D> sweeps_;
  LadderSolver<D> ladder_;
};

}  // namespace talus
