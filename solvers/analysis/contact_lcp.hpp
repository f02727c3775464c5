// SPDX-License-Identifier: Apache-2.0
// The contact problem of a configuration as one LCP, for systems with too many modes to try them
// all. Contacts that slip have friction −μ ξ λ_n; at those at rest, in the plane, it is d·β with
// d = (1, −1):
//     0 ≤ λ_n ⟂ a_n ≥ 0,   0 ≤ β_k ⟂ d_k a_t + γ ≥ 0,   0 ≤ γ ⟂ μ λ_n − Σ β_k ≥ 0.
// In space these have round cones (contact_cones.hpp). Bilateral constraints without friction are
// eliminated.
#pragma once

#include <optional>

#include "solvers/analysis/contact_modes.hpp"
#include "solvers/complementarity/lcp.hpp"

namespace talus {

struct LemkeModes {
  LemkeEnd end = LemkeEnd::ray;  // a ray: the method found no solution
  FoundMotion motion;            // when solved
};

// How many unknowns this LCP has: one per contact, and three more per contact that may stick.
Eigen::Index lemke_unknowns(const ContactSystem& system);

// Empty when the problem has more than `most_variables` unknowns, friction in bilateral
// constraints, or in space a contact that may stick.
std::optional<LemkeModes> lemke_modes(const ContactSystem& system, Eigen::Index most_variables);

}  // namespace talus
