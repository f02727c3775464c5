// Where a body can be put without overlapping others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/random.hpp"
#include "engine/scene.hpp"

namespace talus {

template <int D>
bool holds(const Zone<D>& zone, const Vec<D>& x);

// Places of the arrays whose bodies may reach into the zone, ascending.
template <int D>
void find_near(const Zone<D>& zone, const Bodies<D>& bodies, std::vector<std::size_t>& places);

// Draws places in the zone, up to `tries` of them, until the body overlaps none of those in
// `others`; gives the origin of its frame there. It stands as the zone is turned.
template <int D>
std::optional<Vec<D>> find_free_place(const Zone<D>& zone, const BodyDescription<D>& body,
                                      const Bodies<D>& bodies, std::span<const std::size_t> others,
                                      int tries, Random& random);

}  // namespace talus
