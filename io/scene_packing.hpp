// What [[packing]] says of its grains: sizes, shapes, and the region they fill.
#pragma once

#include <cstdint>
#include <string>

#include "engine/packing.hpp"
#include "io/scene_value.hpp"

namespace talus {

// radius = 0.01, or a distribution: [0.008, 0.012], { lognormal = [median, sigma], limits = [a, b]
// } or { passing = [[radius, part of the mass], …] }.
Sizes read_sizes(const Value& radius);
double largest(const Sizes& sizes);  // [m]

// grain = "ball", { capsule = LENGTH/DIAMETER } or { polytope = CORNERS }.
GrainKind read_grain(const Value& value);

// region = { box = … }, { cylinder = … } or { points = … }.
template <int D>
Region<D> read_region(const Value& value);

std::uint64_t read_seed(const Fields& fields);  // of any generator; 0 if it has none

// The convex hull of points that enclose something.
template <int D>
Polytope<D> read_hull(const Value& points);

// Beside those that all generators share.
const Keys& packing_keys();

// Of a packing that fills a container, the region is what the container holds unless it says more,
// and lies inside it wherever its `position` shifts it to.
template <int D>
PackingPlan<D> read_packing(const Fields& fields, const std::string& name,
                            const Region<D>* container);

}  // namespace talus
