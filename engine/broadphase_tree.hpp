// A tree over boxes that answers which of them may meet. Boxes are kept in single precision,
// rounded outwards, four to a group: what it reports is a superset that the broadphase filters
// exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/space_curve.hpp"
#include "solvers/vec.hpp"

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
    std::int32_t a, b;  // numbers of boxes, a < b
  };
  struct Entry {
    Box<D> box;
    std::int32_t number;
    double size;   // bodies of like size are kept together
    bool is_free;  // at least one of a pair must be
  };

  void build(std::span<const Entry> entries);

  // Pairs of entries whose boxes may meet, each once, in any order: calls found(chunk, pair) with
  // chunks in parallel.
  std::size_t chunks() const;
  void find_pairs(std::size_t chunk, std::vector<Pair>& found) const;

  // Numbers of entries whose boxes may meet a box.
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

  // Visits the groups of boxes from group `first` on that may hold one meeting the box.
  template <class F>
  void visit(const FloatBox& box, std::size_t first, F&& at_group) const;

  Vec<D> origin_ = Vec<D>::Zero();          // coordinates are kept relative to it
  std::vector<CurvePlace> order_, sorted_;  // entries along a space-filling curve
  std::vector<std::int32_t> numbers_;       // in that order; −1 fills the last group
  std::vector<char> is_free_;               // in that order
  std::vector<std::vector<Group>> level_;   // boxes of entries first, then hulls of groups below
};

}  // namespace talus
