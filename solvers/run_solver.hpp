// What a run solves its steps with: fast sweeps, the ladder for the steps on which they stall, all
// of it and from the start where that does not suffice; problems with joints by elimination of
// their rows.
#pragma once

#include "solvers/joint_solver.hpp"
#include "solvers/ladder.hpp"
#include "solvers/solver.hpp"
#include "solvers/sweep_solver.hpp"

namespace talus {

template <int D>
class ContactSolver final : public Solver<D> {
 public:
  explicit ContactSolver(SolveOptions options = {});

  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) override;

 private:
  SweepSolver<D> sweeps_;
  LadderSolver<D> ladder_;
  LadderSolver<D> whole_ladder_;
};

template <int D>
class RunSolver final : public Solver<D> {
 public:
  explicit RunSolver(SolveOptions options = {})
      : contacts_(options), joints_(options, std::make_unique<ContactSolver<D>>(options)) {}

  SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p) override;

 private:
  ContactSolver<D> contacts_;
  JointSolver<D> joints_;
};

}  // namespace talus
