// SPDX-License-Identifier: Apache-2.0
// The contact problem of a configuration in space as a cone complementarity problem in forces and
// accelerations, for contacts at rest: Coulomb's law with its round cones, by the ladder of solvers
// that runs use for percussions and velocities.
#pragma once

#include <optional>

#include "solvers/analysis/contact_modes.hpp"

namespace talus {

struct ConeMotion {
  bool converged = false;
  double error = 0;  // ContactError::relative, of accelerations
  FoundMotion motion;
};

// One motion, if the solvers find one. Contacts that slip are given their slip, so that friction
// opposes it. Bilateral constraints are eliminated. Empty in the plane, where Lemke's method is
// exact, with friction in bilateral constraints, and above `most_unknowns`.
std::optional<ConeMotion> cone_motion(const ContactSystem& system, Eigen::Index most_unknowns);

}  // namespace talus
