// SPDX-License-Identifier: Apache-2.0
// Contacts with sets Φ(t) = { x : f_α(t, x) ≤ 0 } given by functions. What must stay in them is the
// mass centre of every free body.
#pragma once

#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// Adds a contact for every function that is violated at time t, or nearly: with the gap −f/‖∇f‖,
// the distance from the boundary to first order, and the inner normal −∇f/‖∇f‖. Gaps count as near
// up to `margin` and four times the deepest violation. Contacts stay in the order of their keys.
template <int D>
void add_set_contacts(const Scene<D>& scene, const Bodies<D>& bodies, double t, double margin,
                      std::vector<Contact<D>>& contacts);

// Velocity of the boundary f = 0 along the inner normal at a contact with a set, ∂f/∂t / ‖∇f‖
// [m/s]; 0 at contacts of two bodies.
template <int D>
double set_speed(const Scene<D>& scene, const Bodies<D>& bodies, double t, const ContactKey& key);

// Deepest violation of a set, relative to the half width of the body whose mass centre is outside.
template <int D>
double deepest_outside(const Scene<D>& scene, const Bodies<D>& bodies, double t);

}  // namespace talus
