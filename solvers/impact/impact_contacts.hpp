// SPDX-License-Identifier: Apache-2.0
// Signorini and Coulomb at the contacts of an impact, with a floor under the normal percussions:
//     0 ≤ P_N − floor ⟂ û_N ≥ 0,   −û_T ∈ N(P_T) on the disk ‖P_T‖ ≤ μ P_N,   û = W P + b.     (1)
// Newton's and Moreau's laws, a matrix of restitution and compression are (1) with floor 0;
// Poisson's expansion is (1) with the part of the compression that comes back as its floor.
#pragma once

#include "solvers/impact/impact_problem.hpp"

namespace talus {

// By Lemke's method without friction, else by Gauss and Seidel's.
template <int D>
ImpactAnswer<D> impact_percussions(const ImpactProblem<D>& impact, std::span<const Vec<D>> b,
                                   std::span<const double> floor);

// Tangential part of (1) at one contact whose P_N is given: the p with −(W p + a) ∈ N(p) on the
// disk of radius r, W symmetric positive definite.
template <int D>
Vec<D - 1> friction_on_disk(const Matrix<D - 1, D - 1>& W, const Vec<D - 1>& a, double r);

}  // namespace talus
