// SPDX-License-Identifier: Apache-2.0
// Convex stones that enter each other a little, as measured ones do: both are cut along the plane
// midway between them, across the direction in which they overlap least.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"

namespace talus {

struct PartedPair {
  std::size_t a, b;  // indices of stones
  double depth;      // by which they overlapped [m]
  double volume;     // cut off both [m³]
};

struct PartedStones {
  std::vector<PartedPair> pairs;
  const PartedPair* too_deep(double allowed) const;  // the first of them, or null
};

// Parts all pairs that overlap by at most `allowed`; deeper ones are listed and left as they are.
// Every stone is one polytope, without rotation.
PartedStones part_overlaps(std::vector<BodyDescription<3>>& stones, double allowed);

}  // namespace talus
