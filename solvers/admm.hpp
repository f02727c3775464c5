// Alternating direction method of multipliers: the percussions are held twice, x where the dynamics
// is solved and y in the cones, and a multiplier w pulls them together,
//     (W + R) x = R (y − w) − b − μ‖û_T‖ n,   y = proj_K(x + w),   w ← w + x − y,   R = ρ W̄,
// De Saxcé's term being that of the last û. One factorisation serves many iterations, which suits
// towers: few iterations, and a W whose factor is little larger than itself.
//
// Boyd, Parikh, Chu, Peleato, Eckstein 2011; Acary, Brémond, Huber 2018 for contact.
#pragma once

#include "solvers/block_lu.hpp"
#include "solvers/rung.hpp"

namespace talus {

template <int D>
class Admm {
 public:
  // The problem must outlive the solver. Where usable() is false its factors would be too large.
  explicit Admm(const BlockProblem<D>& problem);
  bool usable() const { return usable_; }

  // Starts from the best percussions. Returns the number of iterations.
  int run(const RungLimits& limits, Best<D>& best);

 private:
  bool factorise(double rho);

  const BlockProblem<D>& problem_;
  BlockLu<D> lu_;
  bool usable_ = false;
  DelassusOperator<D> A_;
};

}  // namespace talus
