// SPDX-License-Identifier: Apache-2.0
// A contact found at q_m, and the key by which it is recognised in the next step.
#pragma once

#include <compare>
#include <cstdint>

#include "engine/geometry/space.hpp"
#include "engine/model/material.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Identifies a contact by its bodies, shapes and features (vertices, edges, faces). The key
// persists while the same features touch. Contacts are sorted by their keys, so their order never
// depends on threads or on how pairs were found.
struct ContactKey {
  std::int32_t a = 0, b = 0;              // bodies, a < b
  std::int32_t shape_a = 0, shape_b = 0;  // shapes within the bodies
  std::uint64_t feature = 0;              // features of the two shapes

  auto operator<=>(const ContactKey&) const = default;
};

template <int D>
struct Contact {
  ContactKey key;
  double gap = 0;  // g, along the normal [m]; negative is penetration
  Vec<D> normal;   // unit, from a to b
  Vec<D> point;    // midway between the two surface points [m]
  // In a periodic cell it is the image of b at x_b + offset that touches a where a is.
  Vec<D> shift = Vec<D>::Zero();   // n, whole numbers
  Vec<D> offset = Vec<D>::Zero();  // A n [m]

  int bond = -1;         // index of the bond that acts here, −1: none
  bool held = false;     // by it: whatever the gap, it neither opens nor closes freely
  bool cracked = false;  // its surfaces were bonded: what is left is the friction of the bond
};

// A contact of the contact problem of a step, with its impulse (percussion) and velocities.
template <int D>
struct ActiveContact {
  Contact<D> contact;
  Mat<D> frame;  // columns n, t₁(, t₂)
  ContactLaw law;
  Vec<D> percussion;       // on b, in the frame, adhesion included [N s]
  Vec<D> u_minus, u_plus;  // contact velocity before and after, in the frame [m/s]
  double pull = 0;         // h F of adhesion or of a bond, where it acts [N s]
  double stretch = 1;      // of the row, where friction is elliptic
  double cohesion = 0;     // of a bond: what bounds P_T beside friction [N s]

  // What Coulomb's law is about: P + h F n.
  Vec<D> pressing() const { return percussion + pull * Vec<D>::Unit(0); }

  bool presses() const { return pressing()[0] > 0; }
  // Whether the impulse is on its cone, to rounding.
  bool slides() const {
    const Vec<D> p = pressing().cwiseQuotient(stretching<D>(stretch));
    return presses() &&
           p.template tail<D - 1>().norm() >= (1 - 1e-12) * (law.friction * p[0] + cohesion);
  }
};

}  // namespace talus
