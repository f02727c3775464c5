// SPDX-License-Identifier: Apache-2.0
// All ways in which the constraints of a configuration can go on: for every choice of stick, slide
// and detach the forces and accelerations that fit it, if there are any. This is the contact LCP
// solved by enumeration, friction in bilateral guides included; none, one or several ways may exist
// [BBB16, §3].
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "solvers/analysis/contact_system.hpp"

namespace talus {

enum class ContactMode {
  detach,      // no force, opens
  stick,       // closed, no tangential acceleration, force within the cone
  slide,       // closed, friction against the slip there is
  slip_plus,   // in the plane: closed, starts to slip along +t from rest
  slip_minus,  // along −t
  slip,        // in space: closed, starts to slip against its friction
  hold,        // bilateral without friction
};
std::string_view name_of(ContactMode mode);

struct ModeSolution {
  std::vector<ContactMode> bilateral, unilateral;
  Eigen::VectorXd normal_b, normal_u;    // forces [N]
  Eigen::VectorXd tangent_b, tangent_u;  // along the tangents, as many per constraint as there are
  Eigen::VectorXd acceleration;  // M^(1/2) q̈ without the part that no constraint has a hand in,
                                 // then q̈ of massless freedoms
  int freedom = 0;               // > 0: the forces are one choice of infinitely many
};

struct ModeList {
  std::vector<ModeSolution> solutions;  // each once, under the first modes that give it
  bool complete = true;                 // false: the search was broken off, there may be more
};

// How many choices there are; in space a contact at rest has a choice of sectors to slip in.
double mode_count(const ContactSystem& system);

// One way to go on that some solver has found: where the search begins.
struct FoundMotion {
  std::vector<ContactMode> unilateral;
  Eigen::VectorXd normal_u, tangent_u;  // [N]
  Eigen::VectorXd acceleration;         // as in ModeSolution
};

// The same with the forces of the bilateral constraints, without friction, of least norm.
ModeSolution with_bilateral(const ContactSystem& system, const FoundMotion& found);

struct ModeSearch {
  int most_visits = 20000;                                   // nodes of the tree
  double seconds = std::numeric_limits<double>::infinity();  // what is found then depends on speed
  const FoundMotion* first = nullptr;
};

// Goes down a tree, a constraint a level, and leaves a branch whose choices no forces fit, whatever
// the others do. A contact about to slip in space does so in one of eight sectors of directions,
// which are halved until they hold either no solution or one, found with friction exactly against
// the acceleration; a second solution within one sector is not looked for. Modes exclude each
// other: what opens or starts to slip at no acceleration counts as closed or as sticking. At either
// limit the search is broken off.
ModeList enumerate_modes(const ContactSystem& system, const ModeSearch& search);
ModeList enumerate_modes(const ContactSystem& system, int most_visits = 20000);

// Whether all solutions have one acceleration.
bool one_acceleration(const ModeList& list);

}  // namespace talus
