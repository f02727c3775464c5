// SPDX-License-Identifier: Apache-2.0
// Position-level correction of penetration. Time stepping at velocity level keeps gaps only to the
// order of the step; what penetration it leaves is taken out here by moving bodies, not by a
// velocity that would be remembered.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/step/assembly.hpp"
#include "solvers/sweep/sweep_solver.hpp"

namespace talus {

// Moves bodies, already at the end of the step, by the smallest displacement in the kinetic metric
// that takes out a part of the penetration and opens no other contact's:
//     min ½ Δqᵀ M Δq,   H_Nᵀ Δq ≥ κ δ where a contact penetrates by δ more than is tolerated,
//                       ≥ −g where g ≥ 0 is missing to that,
// which is the step's contact problem without friction. Gaps are those that the next q_m, a step h
// from the one where they were measured, would find: what leaves by itself is left alone. An island
// is moved only if something in it penetrates by more than is far below what matters.
template <int D>
class DriftCorrection {
 public:
  // Whether something penetrates too far, with the contacts of the step that has just ended and
  // the islands they are in.
  bool is_needed(std::span<const ActiveContact<D>> contacts, const Islands<D>& islands, double h,
                 const Bodies<D>& bodies);

  // Moves the bodies. Borrows W of the step's problem and gives it back.
  void apply(ContactProblem<D>& step_problem, const Islands<D>& islands, Bodies<D>& bodies);

 private:
  // Few sweeps: what a large heap leaves is taken out in later steps. But where they converge, a
  // symmetric heap stays symmetric.
  SweepSolver<D> solver_{{.tolerance = 1e-6, .max_sweeps = 50}};
  ContactProblem<D> problem_;
  std::vector<char> penetrates_;  // by contact: too far
  std::vector<char> moves_;       // by island
  Percussions<D> multipliers_;
  std::vector<Twist<D>> displacement_;
};

}  // namespace talus
