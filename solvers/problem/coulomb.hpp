// SPDX-License-Identifier: Apache-2.0
// Signorini's condition with Coulomb friction at one contact, as one inclusion:
//     −(û + μ‖û_T‖ n) ∈ N_K(p),   K = { p : p_N ≥ 0, ‖p_T‖ ≤ μ p_N + c }                    (1)
// The term μ‖û_T‖ n is De Saxcé's; without it the law would be a convex problem with another
// answer. With c = 0 it is Coulomb's law. With cohesion c > 0 the cone is cut off at p_N = 0, and
// what parts can still resist sliding: shifted by a pull F, p = P + F n, it is the criterion of
// Mohr and Coulomb with a tension cut-off, ‖P_T‖ ≤ μ P_N + (μ F + c), P_N ≥ −F.
#pragma once

#include "solvers/math/vec.hpp"

namespace talus {

// What the one-contact problem needs of its block W, worked out once: tangents turned so that the
// Schur complement S = W_T − w wᵀ/W_N is diagonal. Friction is isotropic, so the law does not see
// the turn.
template <int D>
struct LocalBlock {
  using Tangent = Vec<D - 1>;
  using TangentMatrix = Matrix<D - 1, D - 1>;

  LocalBlock() = default;
  explicit LocalBlock(const Mat<D>& W);  // its symmetric part counts

  Mat<D> matrix() const;  // the W meant: symmetric, S no smaller than rounding

  double W_N = 0;      // normal–normal entry
  Tangent w;           // normal–tangent coupling, turned
  Tangent s;           // eigenvalues of S, > 0
  TangentMatrix turn;  // from the turned tangents to the given ones

  // 1/W_N and 1/s: a sweep waits for every division.
  double W_N_inverse = 0;
  Tangent s_inverse;
};

template <int D>
struct Coulomb {
  double mu = 0;        // ≥ 0
  double cohesion = 0;  // c ≥ 0 [N s]

  // What bounds ‖p_T‖.
  double bound(double p_N) const { return mu * p_N + cohesion; }

  Vec<D> project(const Vec<D>& p) const;  // nearest point of K

  // The p that obeys (1) with û = W p + q, for W symmetric positive definite. Where several exist
  // (μ‖w‖ > W_N): take-off before stick before slide; with cohesion stick before take-off.
  Vec<D> solve(const LocalBlock<D>& W, const Vec<D>& q) const;
  Vec<D> solve(const Mat<D>& W, const Vec<D>& q) const { return solve(LocalBlock<D>(W), q); }

  // ‖p − project(p − r (û + μ‖û_T‖ n))‖ / r, a velocity; zero exactly when (1) holds. r > 0 [kg].
  double residual(const Vec<D>& u_hat, const Vec<D>& p, double r) const;
  double residual_squared(const Vec<D>& u_hat, const Vec<D>& p, double r) const;  // without a root

 private:
  Vec<D> solve_cohesive(const LocalBlock<D>& W, const Vec<D>& q) const;
};

}  // namespace talus
