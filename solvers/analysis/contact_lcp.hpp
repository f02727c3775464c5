// SPDX-License-Identifier: Apache-2.0
// The contact problem of a configuration as one LCP, for systems with too many modes to try them
// all. Contacts that slip have friction −μ ξ λ_n; at those at rest it is within a polygon of unit
// vectors d_k, of two in the plane, where that is Coulomb's law itself, and of eight in space:
//     0 ≤ λ_n ⟂ a_n ≥ 0,   0 ≤ β_k ⟂ d_k·a_t + γ ≥ 0,   0 ≤ γ ⟂ μ λ_n − Σ β_k ≥ 0,   λ_t = Σ β_k
//     d_k.
// Bilateral constraints without friction are eliminated.
#pragma once

#include <optional>

#include "solvers/analysis/contact_modes.hpp"
#include "solvers/complementarity/lcp.hpp"

namespace talus {

struct LemkeModes {
  LemkeEnd end = LemkeEnd::ray;         // a ray: the method found no solution
  std::vector<ContactMode> unilateral;  // when solved
  Eigen::VectorXd normal_u;             // [N]
  Eigen::VectorXd acceleration;         // as in ModeSolution
};

// How many unknowns this LCP has: one per contact, and in the plane three more per contact that may
// stick, in space nine.
Eigen::Index lemke_unknowns(const ContactSystem& system);

// Empty when the problem has more than `most_variables` unknowns, or friction in bilateral
// constraints.
std::optional<LemkeModes> lemke_modes(const ContactSystem& system, Eigen::Index most_variables);

}  // namespace talus
