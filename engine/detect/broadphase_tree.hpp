// SPDX-License-Identifier: Apache-2.0
// AABB tree (bounding volume hierarchy, BVH) with four children per node, built in Morton order.
// Boxes are stored in single precision and rounded outwards. So the reported pairs are a superset,
// which the broad phase filters exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/geometry/space_curve.hpp"
#include "solvers/math/vec.hpp"

namespace talus {

template <int D>
struct Box {
  Vec<D> low, high;

  bool meets(const Box& other) const {
    for (int k = 0; k < D; ++k) {
      if (low[k] > other.high[k] || other.low[k] > high[k]) return false;
    }
    return true;
  }
};

template <int D>
class BoxTree {
 public:
  struct Pair {
    std::int32_t a, b;  // numbers of entries, a < b
  };
  struct Entry {
    Box<D> box;
    std::int32_t number;
    double size;   // entries of similar size are grouped
    bool is_free;  // at least one of a pair must be free
  };

  void build(std::span<const Entry> entries);

  // Pairs of entries whose boxes may overlap, each once, in any order. Chunks are independent, so
  // that they can be searched in parallel.
  std::size_t chunks() const;
  void find_pairs(std::size_t chunk, std::vector<Pair>& found) const;

  // Numbers of the entries whose boxes may overlap `box`.
  void query(const Box<D>& box, std::vector<std::int32_t>& found) const;

 private:
  static constexpr std::size_t width = 4;  // boxes in a group

  struct FloatBox {
    std::array<float, D> low, high;
  };
  struct alignas(16) Group {
    std::array<std::array<float, width>, D> low, high;
  };

  static unsigned meeting(const Group& group, const FloatBox& box);
  static FloatBox hull(const Group& group);
  static FloatBox lane(const Group& group, std::size_t i);
  static void set_lane(Group& group, std::size_t i, const FloatBox& box);
  FloatBox rounded_outwards(const Box<D>& box) const;
  void sort_along_curve(std::span<const Entry> entries);

  // Visits the groups, from group `first` on, that may contain a box overlapping `box`.
  template <class F>
  void visit(const FloatBox& box, std::size_t first, F&& at_group) const;

  Vec<D> origin_ = Vec<D>::Zero();          // coordinates are stored relative to it
  std::vector<CurvePlace> order_, sorted_;  // entries along a space-filling curve
  std::vector<std::int32_t> numbers_;  // of the entries in that order; −1 fills up the last group
  std::vector<char> is_free_;          // in that order
  std::vector<std::vector<Group>> level_;  // 0: boxes of entries; k: bounds of groups of k − 1
};

}  // namespace talus
