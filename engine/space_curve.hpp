// Morton's curve: a list along it has most neighbours in space near each other, which is what
// caches and blocks of neighbours live on.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/vec.hpp"

namespace talus {

// Bits of a cell's number along one axis that a key has room for.
template <int D>
constexpr int curve_bits = 20;

// The place of a cell on the curve; cells count from 0 to 2^curve_bits − 1 along each axis, and
// what lies outside is taken to the border.
template <int D>
std::uint64_t curve_key(const Vec<D>& cell);

struct CurvePlace {
  std::uint64_t key;
  std::int32_t number;

  bool operator==(const CurvePlace&) const = default;
};

// Sorts by key; equal keys stay as they are. Only the lowest `bits` bits of the keys may be set.
void sort_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch, int bits);

// Sorts by key and then by number, in one pass, what is nearly sorted, as are bodies that have been
// sorted before and moved since. False, and the places are lost, if more than an eighth is not.
bool sort_again_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch);

}  // namespace talus
