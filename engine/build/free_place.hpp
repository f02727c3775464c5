// SPDX-License-Identifier: Apache-2.0
// Finds a place for a body where it overlaps no other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/build/random.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"

namespace talus {

template <int D>
bool holds(const Zone<D>& zone, const Vec<D>& x);

// Indices of bodies that may reach into the zone, ascending.
template <int D>
void find_near(const Zone<D>& zone, const Bodies<D>& bodies, std::vector<std::size_t>& places);

// Draws random places in the zone, at most `tries`, until the body overlaps none of `others`.
// Returns the origin of its frame there. The body has the orientation of the zone.
template <int D>
std::optional<Vec<D>> find_free_place(const Zone<D>& zone, const BodyDescription<D>& body,
                                      const Bodies<D>& bodies, std::span<const std::size_t> others,
                                      int tries, Random& random);

}  // namespace talus
