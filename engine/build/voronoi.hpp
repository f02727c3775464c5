// SPDX-License-Identifier: Apache-2.0
// A convex region cut into the Voronoi cells of random points: convex blocks that fit exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/scene.hpp"

namespace talus {

// The part of a polytope with normal · x ≤ offset. Empty if it has no volume.
template <int D>
std::optional<Polytope<D>> cut_off(const Polytope<D>& polytope, const Vec<D>& normal,
                                   double offset);

inline constexpr int max_cells = 20'000;

// Bodies are named NAME.k; each has its origin at the centre of its cell.
template <int D>
struct VoronoiPlan {
  std::string name = "voronoi";
  Polytope<D> region;
  int count = 0;
  std::uint64_t seed = 0;
  int relax = 0;  // how often the points move to the centres of their cells (Lloyd's algorithm)
};

template <int D>
std::vector<BodyDescription<D>> voronoi_bodies(const VoronoiPlan<D>& plan);

}  // namespace talus
