// SPDX-License-Identifier: Apache-2.0
// What a run solves its steps with: vectorised sweeps of all islands, then the ladder for those
// that they leave open; problems with joints by elimination of their rows.
#pragma once

#include "solvers/climb/joint_solver.hpp"
#include "solvers/climb/ladder.hpp"
#include "solvers/problem/solver.hpp"
#include "solvers/sweep/sweep_solver.hpp"

namespace talus {

template <int D>
class ContactSolver final : public Solver<D> {
 public:
  explicit ContactSolver(SolveOptions options = {}) : options_(options), sweeps_(options) {}

 private:
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override;

  SolveOptions options_;
  SweepSolver<D> sweeps_;
  ErrorMeasure<D> measure_;
};

template <int D>
class RunSolver final : public Solver<D> {
 public:
  explicit RunSolver(SolveOptions options = {})
      : contacts_(options),
        joints_(options, std::make_unique<ContactSolver<D>>(options),
                std::make_unique<SweepSolver<D>>(SolveOptions{.tolerance = 0.5 * options.tolerance,
                                                              .max_sweeps = options.max_sweeps})) {}

 private:
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override {
    return has_joints<D>(problem) ? joints_.solve(problem, islands, p)
                                  : contacts_.solve(problem, islands, p);
  }

  ContactSolver<D> contacts_;
  JointSolver<D> joints_;
};

}  // namespace talus
