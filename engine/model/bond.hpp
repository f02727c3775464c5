// SPDX-License-Identifier: Apache-2.0
// Bonds: what mortar, cement or glue does between surfaces that touch at the start of a run.
#pragma once

#include <cstdint>

#include "engine/model/contact.hpp"

namespace talus {

// One bonded point of a contact manifold, with its share of the area. It lives with the key of the
// contact that was there when it was made.
template <int D>
struct Bond {
  ContactKey key;
  Vec<D> anchor_a = Vec<D>::Zero();  // the same point in the axes of both bodies, from their mass
  Vec<D> anchor_b = Vec<D>::Zero();  // centres [m]
  Vec<D> normal = Vec<D>::Zero();    // from a to b, in the axes of a
  double area = 0;                   // [m²]; in the plane a length [m], for a unit of thickness
  double damage = 0;                 // energy dissipated over G_f; 0: intact, 1: broken
  bool pulls = false;                // in the last step it held its bodies together

  bool broken() const { return damage >= 1; }
};

// What a bond does in a step.
template <int D>
struct BondAction {
  Vec<D> drift = Vec<D>::Zero();  // of b's anchor from a's, of an intact bond; world axes [m]
  double pull = 0;                // h A σ_t of its strength that is left [N s]
  double cohesion = 0;            // h A (c − μ σ_t) alike
};

}  // namespace talus
