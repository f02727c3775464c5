// SPDX-License-Identifier: Apache-2.0
// Spatial hash (cell list) to find grains near a point: cells of equal width, of which only those
// in use are stored.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

template <int D>
class GrainCells {
 public:
  explicit GrainCells(double width) : width_(width) {}

  void add(const Vec<D>& x, std::size_t grain) { cells_[key(home(x))].push_back(grain); }

  // Calls f with every grain in the cell of x and in the cells around it. These are all grains
  // within `width` of x, and some more. Distant cells may share a key; this can only add grains.
  template <class F>
  void each_near(const Vec<D>& x, F f) const {
    const Cell middle = home(x);
    Cell cell;
    const std::int64_t deep = D == 3 ? 1 : 0;
    for (std::int64_t dz = -deep; dz <= deep; ++dz) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          cell = {middle[0] + dx, middle[1] + dy, middle[2] + dz};
          const auto found = cells_.find(key(cell));
          if (found == cells_.end()) continue;
          for (const std::size_t grain : found->second) f(grain);
        }
      }
    }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;

  Cell home(const Vec<D>& x) const {
    Cell cell{};
    for (int k = 0; k < D; ++k) {
      cell[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(std::floor(x[k] / width_));
    }
    return cell;
  }

  static std::uint64_t key(const Cell& cell) {
    constexpr std::uint64_t mask = (1u << 21) - 1;
    return (static_cast<std::uint64_t>(cell[0]) & mask) |
           (static_cast<std::uint64_t>(cell[1]) & mask) << 21 |
           (static_cast<std::uint64_t>(cell[2]) & mask) << 42;
  }

  double width_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

}  // namespace talus
