// Gravity deposition without dynamics, after Visscher and Bolsterli (1972): balls are dropped one
// after another at random places and roll, without inertia, down over those that lie there and over
// the walls, until they rest on as many as it takes.
#pragma once

#include <span>
#include <vector>

#include "engine/packing.hpp"
#include "engine/random.hpp"

namespace talus {

// Centres of balls of these radii, in this order: of as many as found a place. Down is the negative
// last axis. Each is stable on those before it and on the walls: up is a non-negative combination
// of the normals of at most D contacts, whose gaps are 1e-9 of the radius; no gap is negative.
template <int D>
std::vector<Vec<D>> deposit(const Region<D>& region, std::span<const double> radii, Random& random);

}  // namespace talus
