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

// `Problem`: BlockProblem, or one with moments (RollingIsland, RollingBlocks).
template <class Problem>
class ProximalNewton {
 public:
  static constexpr int N = Problem::width;  // components of an unknown

  // W is the problem's, and `lu` has analysed it; all must outlive the solver.
  ProximalNewton(const Problem& problem, const DelassusOperator<N>& W, BlockLu<N>& lu);

  // Starts from the best percussions, with the given ε. Returns the number of Newton steps.
  int run(const RungLimits& limits, double epsilon, Best<N>& best);

  // Cost of a Newton step in products of a block and a vector.
  double cost() const;

 private:
  // û of the step's problem at p, and the error of p there.
  double step_error(const std::vector<Vec<N>>& p);
  // The Newton step from p with velocities u_; false when the matrix is singular.
  bool direction(const std::vector<Vec<N>>& p);

  const Problem& problem_;
  const DelassusOperator<N>& W_;
  std::vector<std::size_t> diagonal_;  // where W_ii is among the blocks
  BlockLu<N>& lu_;
  DelassusOperator<N> A_;
  std::vector<Vec<N>> u_, centre_, step_, trial_;
  double epsilon_ = 0;
};

}  // namespace talus
