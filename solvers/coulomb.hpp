// Signorini's condition with Coulomb friction at one contact, as one inclusion:
//     −(û + μ‖û_T‖ n) ∈ N_K(p),   K = { p : ‖p_T‖ ≤ μ p_N }                                 (1)
// The term μ‖û_T‖ n is De Saxcé's; without it the law would be a convex problem with another
// answer.
#pragma once

#include "solvers/vec.hpp"

namespace talus {

template <int D>
struct Coulomb {
  double mu = 0;  // ≥ 0

  Vec<D> project(const Vec<D>& p) const;  // nearest point of K

  // The p that obeys (1) with û = W p + q, for W symmetric positive definite. Where several exist
  // (μ‖w‖ > W_N): take-off before stick before slide.
  Vec<D> solve(const Mat<D>& W, const Vec<D>& q) const;

  // ‖p − project(p − r (û + μ‖û_T‖ n))‖ / r, a velocity; zero exactly when (1) holds. r > 0 [kg].
  double residual(const Vec<D>& u_hat, const Vec<D>& p, double r) const;
};

}  // namespace talus
