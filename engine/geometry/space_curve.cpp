// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/space_curve.hpp"

#include <algorithm>
#include <utility>

namespace talus {

namespace {

// Interleaving: the bits of x with D − 1 zeros between neighbours.
template <int D>
std::uint64_t spread(std::uint64_t x) {
  if constexpr (D == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
  } else {
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
  }
}

}  // namespace

template <int D>
std::uint64_t curve_key(const Vec<D>& cell) {
  constexpr double last = (1 << curve_bits<D>)-1;
  std::uint64_t key = 0;
  for (int k = 0; k < D; ++k) {
    key |= spread<D>(cell[k] > 0 ? static_cast<std::uint64_t>(std::min(cell[k], last)) : 0) << k;
  }
  return key;
}

// Radix sort, least significant digit first.
void sort_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch, int bits) {
  constexpr int digit_bits = 11, digits = 1 << digit_bits;
  scratch.resize(places.size());
  std::size_t start[digits];
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](const CurvePlace& place) {
      return static_cast<std::size_t>(place.key >> shift) & (digits - 1);
    };
    std::fill(start, start + digits, 0);
    for (const CurvePlace& place : places) ++start[digit(place)];
    std::size_t sum = 0;
    for (std::size_t& count : start) sum += std::exchange(count, sum);
    for (const CurvePlace& place : places) scratch[start[digit(place)]++] = place;
    std::swap(places, scratch);
  }
}

// Removes each entry that is out of order together with the one before it, for either may have
// moved. The rest is sorted; the removed entries are sorted and merged into it.
bool sort_again_along_curve(std::vector<CurvePlace>& places, std::vector<CurvePlace>& scratch) {
  const auto before = [](const CurvePlace& a, const CurvePlace& b) {
    return a.key < b.key || (a.key == b.key && a.number < b.number);
  };
  scratch.clear();
  std::size_t kept = 0;
  for (const CurvePlace place : places) {
    if (kept > 0 && before(place, places[kept - 1])) {
      scratch.push_back(places[--kept]);
      scratch.push_back(place);
      if (8 * scratch.size() > places.size()) return false;
    } else {
      places[kept++] = place;
    }
  }
  std::sort(scratch.begin(), scratch.end(), before);
  for (std::size_t end = places.size(); !scratch.empty(); --end) {  // from the back
    if (kept > 0 && before(scratch.back(), places[kept - 1])) {
      places[end - 1] = places[--kept];
    } else {
      places[end - 1] = scratch.back();
      scratch.pop_back();
    }
  }
  return true;
}

template std::uint64_t curve_key<2>(const Vec<2>&);
template std::uint64_t curve_key<3>(const Vec<3>&);

}  // namespace talus
