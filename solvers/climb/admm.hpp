// SPDX-License-Identifier: Apache-2.0
// Alternating direction method of multipliers: the percussions are held twice, x where the dynamics
// is solved and y in the cones, and a multiplier w pulls them together,
//     (W + R) x = R (y − w) − b − μ‖û_T‖ n,   y = proj_K(x + w),   w ← w + x − y,   R = ρ W̄,
// De Saxcé's term being that of the last û = −R w, which is in the dual cones. One factorisation
// serves many iterations, which suits towers: few iterations, and a W whose factor is little larger
// than itself.
//
// Boyd, Parikh, Chu, Peleato, Eckstein 2011; Acary, Brémond, Huber 2018 for contact.
#pragma once

#include "solvers/climb/block_lu.hpp"
#include "solvers/climb/rung.hpp"

namespace talus {

template <int D>
class Admm {
 public:
  // `lu` has analysed the problem's W; both must outlive the solver.
  Admm(const BlockProblem<D>& problem, BlockLu<D>& lu);

  // Cost of a run of so many iterations in products of a block and a vector.
  double cost(int iterations) const;

  // Starts from the best percussions. Returns the number of iterations.
  int run(const RungLimits& limits, Best<D>& best);

 private:
  bool factorise(double rho);

  const BlockProblem<D>& problem_;
  BlockLu<D>& lu_;
  bool symmetric_ = false;
  DelassusOperator<D> A_;
};

}  // namespace talus
