// SPDX-License-Identifier: Apache-2.0
// A primal–dual interior-point method for Coulomb's law itself, De Saxcé's term included.
//
// Scaled so that both cones become Lorentz's, L = {‖x_T‖ ≤ x_N}: p = S x and z = S (û + μ‖û_T‖ n)
// with S = τ diag(1/μ, 1, 1), the problem is
//     z = S W S x + S b + ‖z_T‖ n,   x, z ∈ L,   x ∘ z = 0.
// Newton follows x ∘ z = σ e to σ = 0 with Nesterov and Todd's scaling and Mehrotra's corrector.
// The term ‖z_T‖ n is linearised with the rest (monolithic): that makes the matrix unsymmetric, and
// the convergence that of Newton. Kept fixed instead, it leaves a convex problem (*associated*
// friction) whose answers, the term refreshed between them, are De Saxcé's fixed point.
//
// A cone program needs no start near the answer: this is the rung for problems on which sweeps and
// Newton's method alone go astray.
//
// Nesterov, Todd 1997; Mehrotra 1992; Acary, Cadoux, Lemaréchal, Malick 2011 for the convex form.
#pragma once

#include "solvers/climb/block_lu.hpp"
#include "solvers/climb/rung.hpp"

namespace talus {

template <int D>
class InteriorPoint {
 public:
  // `lu` has analysed the problem's W; both must outlive the solver.
  InteriorPoint(const BlockProblem<D>& problem, BlockLu<D>& lu);

  // Starts cold, whatever the best percussions are. Returns the number of iterations.
  int run(const RungLimits& limits, Best<D>& best);

  // De Saxcé's fixed point: the convex problem with the term kept, again and again from the last
  // answer's sliding velocities. Returns the number of interior-point iterations.
  int run_fixed_point(const RungLimits& limits, Best<D>& best);

 private:
  struct Scaling {  // of Nesterov and Todd: G x = G⁻¹ z = λ
    Mat<D> G, G_inverse;
    Vec<D> lambda;
  };
  // ‖z_T‖ n, either of the present z or kept.
  double slide_term(std::size_t i) const;
  double start();                                                 // x, z; returns the size of both
  void residuals();                                               // of the present x and z
  bool factorise();                                               // the Newton matrix
  void newton(std::vector<Vec<D>>& dx, std::vector<Vec<D>>& dz);  // from rhs_
  double longest_step(const std::vector<Vec<D>>& dx, const std::vector<Vec<D>>& dz) const;
  // Iterates until the gap is at most gap_end or the true error satisfies the limits.
  int iterate(const RungLimits& limits, double gap_end, Best<D>& best);

  const BlockProblem<D>& problem_;
  DelassusOperator<D> W_, A_;  // S W S and the Newton matrix
  BlockLu<D>& lu_;
  std::vector<Vec<D>> S_, b_;
  bool keep_slide_ = false;
  std::vector<double> kept_slide_;
  std::vector<Vec<D>> x_, z_, residual_, slide_, rhs_;
  std::vector<Scaling> scaling_;
  double gap_ = 0;  // mean of x·z
  double size_ = 1;
};

}  // namespace talus
