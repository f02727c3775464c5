// SPDX-License-Identifier: Apache-2.0
// Contacts and joints as one problem. Where many contacts are tied to rows, everything is swept,
// the rows among the unknowns; then bilateral rows are solved exactly for the percussions of
// contacts. An island that is left open, as long chains are, or has few contacts is solved by
// elimination: bilateral rows by their factors, which is exact whatever the length of a chain; what
// remains are contacts and bounded rows, coupled through
//     W_eff = W − C K⁻¹ Cᵀ,   b_eff = b − C K⁻¹ bias,   C = Hᵀ M⁻¹ Jᵀ,
// solved island by island on the ladder. Islands with so many contacts that W_eff would be a large
// dense matrix keep their rows as unknowns, and so do problems with moments of contacts. Contacts
// that no row reaches are left to the solver of runs without joints.
//
// Friction in joints, whose bounds depend on the percussions that press, is a fixed point around
// that: bounds from the last percussions, percussions from the bounds, until the law holds as it
// is.
#pragma once

#include <memory>

#include "solvers/problem/bilateral.hpp"
#include "solvers/problem/block_problem.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

template <int D>
class JointSolver final : public Solver<D> {
 public:
  // `loose` solves the contacts that are not tied to any row, `sweeps`, if given, everything at
  // first.
  JointSolver(SolveOptions options, std::unique_ptr<Solver<D>> loose,
              std::unique_ptr<Solver<D>> sweeps = nullptr)
      : options_(options), loose_(std::move(loose)), sweeps_(std::move(sweeps)) {}

 private:
  // The problem must be in rigid form.
  SolveReport solve_islands(const ContactProblem<D>& problem, const Islands<D>& islands,
                            Percussions<D>& p) override;

  struct Unknown {  // of the reduced problem
    bool is_row = false;
    int index = -1;  // among the contacts or the rows
  };
  struct TiedIsland {  // an island with rows
    int number = -1;   // among the islands; negative for a row that moves nothing
    std::vector<Unknown> unknowns;
    ErrorScale scale;  // of all it holds, bilateral rows too
    BlockProblem<D> problem;
  };

  void sort_unknowns(const ContactProblem<D>& problem, const Islands<D>& islands);
  bool worth_sweeping(const ContactProblem<D>& problem) const;
  void sweep(const ContactProblem<D>& problem, const Islands<D>& islands, Percussions<D>& p,
             SolveReport& report);
  int solve_loose(const ContactProblem<D>& problem, Percussions<D>& p);
  void reduce(const ContactProblem<D>& problem, TiedIsland& island);
  int solve_reduced(const ContactProblem<D>& problem, Percussions<D>& p);
  int solve_whole(const ContactProblem<D>& problem, const Islands<D>& islands, bool swept,
                  Percussions<D>& p);
  void solve_bilateral(const ContactProblem<D>& problem, Percussions<D>& p);

  Vec<D> velocity_of(const ContactProblem<D>& problem, const Unknown& unknown,
                     std::span<const Twist<D>> v) const;
  // M⁻¹(h_k + Jᵀλ) of a unit percussion in component k of an unknown, with the λ it calls for.
  std::vector<Twist<D>> response(const ContactProblem<D>& problem, const Unknown& unknown, int k);
  Eigen::VectorXd bilateral_velocities(std::span<const Twist<D>> v) const;

  SolveOptions options_;
  std::unique_ptr<Solver<D>> loose_, sweeps_;
  ErrorMeasure<D> measure_;
  BilateralSystem<D> bilateral_;
  std::vector<LinearRow<D>> bilateral_rows_;
  std::vector<int> bilateral_index_;  // among the problem's rows
  std::vector<int> loose_contacts_;
  std::vector<TiedIsland> islands_;
  std::vector<Twist<D>> v_bilateral_;  // M⁻¹Jᵀλ of the bilateral rows alone
};

// Whether a problem has rows that the sweeps of runs without joints are no match for.
template <int D>
bool has_joints(const ContactProblem<D>& problem);

}  // namespace talus
