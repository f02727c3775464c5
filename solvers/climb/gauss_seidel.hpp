// SPDX-License-Identifier: Apache-2.0
// Nonsmooth Gauss–Seidel on an assembled (BlockProblem) or a factored problem, plain or
// accelerated. A sweep p → G(p) solves contact after contact exactly, the others held; what
// accelerates it is affine combinations of sweeps, judged by how far a sweep moves, f = √W_N (G(p)
// − p):
//
//   anderson     p ← G(p) − ΔG γ,  γ minimising ‖f − ΔF γ‖ over the last changes ΔF, ΔG
//   nncg         p ← G(p) + β d,  d ← β d + (G(p) − p),  β = ‖f‖²/‖f_last‖² ≤ 1   (NNCG)
//   alternating  no acceleration, every other sweep backwards: breaks cycles of forward sweeps
//
// Anderson 1965; Silcowitz-Hansen, Niebe, Erleben 2010.
#pragma once

#include <Eigen/Core>

#include "solvers/climb/rung.hpp"
#include "solvers/problem/factored.hpp"
#include "solvers/problem/method.hpp"

namespace talus {

inline constexpr int sweep_patience = 200;

// What a problem prepares of its diagonal blocks, and how one contact is solved with it.
template <class Problem>
struct LocalOf {
  using type = typename Problem::Local;
};
template <int D>
struct LocalOf<BlockProblem<D>> {
  using type = LocalBlock<D>;
};
template <int D>
struct LocalOf<FactoredProblem<D>> {
  using type = LocalBlock<D>;
};

template <int D, class Problem = BlockProblem<D>>
class GaussSeidel {
 public:
  // The problem must outlive the solver.
  GaussSeidel(const Problem& problem, Method method);

  // Sweeps from `p`, which continues the last run when it is where that left off. Stops also when
  // the best error has not fallen by a tenth in `sweep_patience` sweeps. Returns the number of
  // sweeps.
  int run(std::vector<Vec<D>>& p, const RungLimits& limits, Best<D>& best);

 private:
  void sweep(std::vector<Vec<D>>& p, bool backward);
  void visit(std::size_t i, std::vector<Vec<D>>& p);
  void accelerate(std::vector<Vec<D>>& p);  // p = G(start_), becomes the next start
  void extrapolate(Eigen::Ref<Eigen::VectorXd> next);

  const Problem& problem_;
  typename Problem::Motion motion_;
  Method method_;
  std::vector<typename LocalOf<Problem>::type> local_;
  std::vector<Mat<D>> W_ii_;  // as the local solve sees it
  Eigen::VectorXd weight_;    // √W_N of every component

  // What acceleration remembers.
  std::vector<Vec<D>> start_;  // of the last sweep
  Eigen::VectorXd f_, f_last_, g_, g_last_, direction_;
  Eigen::MatrixXd dF_, dG_, gram_;
  double f_norm_ = 0, f_norm_last_ = 0;
  int sweeps_ = 0;  // since the start or the last restart
  int kept_ = 0, slot_ = 0;
};

}  // namespace talus
