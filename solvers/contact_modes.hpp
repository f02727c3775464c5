// All ways in which the constraints of a configuration can go on: for every choice of stick, slide
// and detach the forces and accelerations that fit it, if there are any. This is the contact LCP
// solved by enumeration, friction in bilateral guides included; none, one or several ways may exist
// [BBB16, §3].
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "solvers/contact_system.hpp"

namespace talus {

enum class ContactMode {
  detach,      // no force, opens
  stick,       // closed, no tangential acceleration, force within the cone
  slide,       // closed, friction against the slip there is
  slip_plus,   // closed, starts to slip along +t from rest
  slip_minus,  // along −t
  hold,        // bilateral without friction
};
std::string_view name_of(ContactMode mode);

struct ModeSolution {
  std::vector<ContactMode> bilateral, unilateral;
  Eigen::VectorXd normal_b, normal_u;    // forces [N]
  Eigen::VectorXd tangent_b, tangent_u;  // along the tangents, as many per constraint as there are
  Eigen::VectorXd acceleration;  // M^(1/2) q̈ without the part that no constraint has a hand in
  int freedom = 0;               // > 0: the forces are one choice of infinitely many
};

struct ModeList {
  std::vector<ModeSolution> solutions;  // each once, under the first modes that give it
  bool complete = true;  // in space a contact at rest may start to slip in any direction: not tried
};

// How many choices there are.
double mode_count(const ContactSystem& system);

// Solves one linear system per choice: for few constraints.
ModeList enumerate_modes(const ContactSystem& system);

// Whether all solutions have one acceleration.
bool one_acceleration(const ModeList& list);

}  // namespace talus
