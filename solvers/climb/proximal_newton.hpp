// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on Alart and Curnier's equations, inside proximal steps.
//
// A proximal step from p_k solves the problem with W + E in place of W and b − E p_k in place of b,
// E = ε W̄ (W̄ the mean diagonal of each block): the same solutions, since E (p − p_k) vanishes where
// p stays, but W + E is regular even where rigid bodies make W singular, and for ε large enough the
// step has one answer that Newton finds. ε falls while Newton does well and rises where it fails,
// so the method ends as Newton on the problem itself.
//
// Alart, Curnier 1991; Acary, Brémond, Huber 2018.
#pragma once

#include "solvers/climb/block_lu.hpp"
#include "solvers/climb/rung.hpp"

namespace talus {

template <int D>
class ProximalNewton {
 public:
  // `lu` has analysed the problem's W; both must outlive the solver.
  ProximalNewton(const BlockProblem<D>& problem, BlockLu<D>& lu);

  // Starts from the best percussions, with the given ε. Returns the number of Newton steps.
  int run(const RungLimits& limits, double epsilon, Best<D>& best);

  // Cost of a Newton step in products of a block and a vector.
  double cost() const;

 private:
  // û of the step's problem at p, and the error of p there.
  double step_error(const std::vector<Vec<D>>& p);
  // The Newton step from p with velocities u_; false when the matrix is singular.
  bool direction(const std::vector<Vec<D>>& p);

  const BlockProblem<D>& problem_;
  BlockLu<D>& lu_;
  DelassusOperator<D> A_;
  std::vector<Vec<D>> u_, centre_, step_, trial_;
  double epsilon_ = 0;
};

}  // namespace talus
