// SPDX-License-Identifier: Apache-2.0
// Gravity deposition without dynamics, after Visscher and Bolsterli (1972). Balls are dropped one
// after another at random places. Each rolls down, without inertia, over earlier balls and walls
// until it rests in a stable position.
#pragma once

#include <span>
#include <vector>

#include "engine/build/packing.hpp"
#include "engine/build/random.hpp"

namespace talus {

// Centres of balls of these radii, in this order; fewer if some found no place. Down is the
// negative last axis. Each ball is stable on earlier balls and walls: up is a non-negative
// combination of the normals of at most D contacts. The gaps of these contacts are 1e-9 of the
// radius; no gap is negative.
template <int D>
std::vector<Vec<D>> deposit(const Region<D>& region, std::span<const double> radii, Random& random);

}  // namespace talus
