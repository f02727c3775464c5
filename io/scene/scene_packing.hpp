// SPDX-License-Identifier: Apache-2.0
// Keys of [[packing]]: sizes and shapes of grains, and the region they fill.
#pragma once

#include <cstdint>
#include <string>

#include "engine/build/packing.hpp"
#include "io/scene/scene_value.hpp"

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

// The convex hull of points; an error if they enclose no volume.
template <int D>
Polytope<D> read_hull(const Value& points);

// Keys of a packing, beside those that all generators share.
const Keys& packing_keys();

// In a container, the region is the inside of the container unless `region` is given. A given
// region, shifted by `position`, must lie inside the container.
template <int D>
PackingPlan<D> read_packing(const Fields& fields, const std::string& name,
                            const Region<D>* container);

}  // namespace talus
