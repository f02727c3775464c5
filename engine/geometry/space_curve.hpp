// SPDX-License-Identifier: Apache-2.0
// Morton order (Z-order curve, a space-filling curve). In a list sorted along it most neighbours in
// space are close to each other, which is good for caches and for blocks of neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

// Number of bits per axis in a key.
template <int D>
constexpr int curve_bits = 20;

// Key of a cell: its position on the curve. Cell indices run from 0 to 2^curve_bits − 1 along each
// axis; others are clamped.
template <int D>
std::uint64_t curve_key(const Vec<D>& cell);

struct CurvePlace {
  std::uint64_t key;
  std::int32_t number;

  bool operator==(const CurvePlace&) const = default;
};

// Stable sort by key. Only the lowest `bits` bits of the keys may be set.
void sort_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch, int bits);

// Sorts nearly sorted entries by key and then by number, in one pass: bodies that were sorted
// before and have moved since. Returns false, and `places` is lost, if more than an eighth is out
// of order.
bool sort_again_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch);

}  // namespace talus
