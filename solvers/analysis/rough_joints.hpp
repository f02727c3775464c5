// SPDX-License-Identifier: Apache-2.0
// Motions with friction in pins, hinges and joints in space, [BBB16, (1b)] for joints whose force
// has several components: the length s of that force bounds the friction, and friction changes it.
#pragma once

#include "solvers/analysis/contact_modes.hpp"

namespace talus {

// All motions of a system with rough joints. For every choice of stick and slide in them, friction
// that slides is a load −μ s, so that the other constraints are a problem without it, whose forces
// λ(s) are affine as long as its modes stay; what is wanted is s = ‖λ(s)‖. Of one such joint and no
// contacts this is a quadratic equation: all its roots are found. Else Newton's method starts from
// several s, and the list is complete only where one_motion_for_all_loads proves it.
// Joints have the mode and, as the first tangent of their first constraint, the friction.
ModeList enumerate_rough_joints(const ContactSystem& system, const ModeSearch& search);

// ρ(B), B_jk the most by which the force of joint j grows with s_k, over all sets of joints at rest
// that stick: below 1 the map s → ‖λ(s)‖ contracts, and every load has one motion. It is
// proportional to the friction coefficients. Without contacts; else infinite.
double joint_friction_ratio(const ContactSystem& system);
inline bool one_motion_for_all_loads(const ContactSystem& system) {
  return joint_friction_ratio(system) < 1;
}

constexpr std::size_t most_rough_joints = 6;  // whose modes are tried, 3ⁿ of them

}  // namespace talus
