// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/broadphase_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/math/parallel.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace talus {

namespace {

constexpr float float_infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t groups_per_chunk = 256;

}  // namespace

// Tests four boxes against one at once (SIMD): bit i is set if box i overlaps it.
template <int D>
unsigned BoxTree<D>::meeting(const Group& group, const FloatBox& box) {
#ifdef __SSE2__
  __m128 meets = _mm_castsi128_ps(_mm_set1_epi32(-1));
  for (std::size_t k = 0; k < D; ++k) {
    meets = _mm_and_ps(
        meets,
        _mm_and_ps(_mm_cmple_ps(_mm_load_ps(group.low[k].data()), _mm_set1_ps(box.high[k])),
                   _mm_cmpge_ps(_mm_load_ps(group.high[k].data()), _mm_set1_ps(box.low[k]))));
  }
  return static_cast<unsigned>(_mm_movemask_ps(meets));
#else
  unsigned mask = 0;
  for (std::size_t i = 0; i < width; ++i) {
    bool meets = true;
    for (std::size_t k = 0; k < D; ++k) {
      meets = meets && group.low[k][i] <= box.high[k] && group.high[k][i] >= box.low[k];
    }
    mask |= static_cast<unsigned>(meets) << i;
  }
  return mask;
#endif
}

template <int D>
typename BoxTree<D>::FloatBox BoxTree<D>::hull(const Group& group) {
  FloatBox box;
  for (std::size_t k = 0; k < D; ++k) {
    box.low[k] = *std::min_element(group.low[k].begin(), group.low[k].end());
    box.high[k] = *std::max_element(group.high[k].begin(), group.high[k].end());
  }
  return box;
}

template <int D>
typename BoxTree<D>::FloatBox BoxTree<D>::lane(const Group& group, std::size_t i) {
  FloatBox box;
  for (std::size_t k = 0; k < D; ++k) {
    box.low[k] = group.low[k][i];
    box.high[k] = group.high[k][i];
  }
  return box;
}

template <int D>
void BoxTree<D>::set_lane(Group& group, std::size_t i, const FloatBox& box) {
  for (std::size_t k = 0; k < D; ++k) {
    group.low[k][i] = box.low[k];
    group.high[k][i] = box.high[k];
  }
}

template <int D>
typename BoxTree<D>::FloatBox BoxTree<D>::rounded_outwards(const Box<D>& box) const {
  // Finite, so that no box meets the empty ones, whose ends are infinite.
  constexpr double slack = std::numeric_limits<float>::epsilon();
  constexpr double most = std::numeric_limits<float>::max();
  FloatBox result;
  for (int k = 0; k < D; ++k) {
    const double low = box.low[k] - origin_[k], high = box.high[k] - origin_[k];
    result.low[static_cast<std::size_t>(k)] =
        static_cast<float>(std::clamp(low - slack * std::abs(low), -most, most));
    result.high[static_cast<std::size_t>(k)] =
        static_cast<float>(std::clamp(high + slack * std::abs(high), -most, most));
  }
  return result;
}

// Sorts entries by size class (within a factor of four), then in Morton order of their centres. So
// one large box does not enlarge the groups of its small neighbours.
template <int D>
void BoxTree<D>::sort_along_curve(std::span<const Entry> entries) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec<D> low = Vec<D>::Constant(infinity), high = -low;
  double smallest = infinity;
  for (const Entry& entry : entries) {
    low = low.cwiseMin(entry.box.low);
    high = high.cwiseMax(entry.box.high);
    smallest = std::min(smallest, entry.size);
  }
  origin_ = 0.5 * low + 0.5 * high;
  constexpr int class_bits = 4;
  constexpr int bits = D * curve_bits<D>;
  static_assert(bits + class_bits <= 64, "one key for both");
  const double cells = std::ldexp(1.0, curve_bits<D>) - 1;
  Vec<D> scale;  // cells per length
  for (int k = 0; k < D; ++k) {
    const double extent = high[k] - low[k];
    scale[k] = extent > 0 ? cells / extent : 0;
  }
  order_.resize(entries.size());
  parallel_for(entries.size(), [&](std::size_t i) {
    const Entry& entry = entries[i];
    const Vec<D> centre = 0.5 * (entry.box.low + entry.box.high);
    const std::uint64_t key = curve_key<D>((centre - low).cwiseProduct(scale));
    const int size_class =
        std::clamp(std::ilogb(entry.size / smallest) / 2, 0, (1 << class_bits) - 1);
    order_[i] = {key | static_cast<std::uint64_t>(size_class) << bits,
                 static_cast<std::int32_t>(i)};
  });
  talus::sort_along_curve(order_, sorted_, bits + class_bits);
}

template <int D>
void BoxTree<D>::build(std::span<const Entry> entries) {
  sort_along_curve(entries);
  FloatBox empty;
  empty.low.fill(float_infinity);
  empty.high.fill(-float_infinity);

  const auto groups_for = [](std::size_t boxes) { return (boxes + width - 1) / width; };
  std::size_t levels = 1;
  for (std::size_t n = groups_for(entries.size()); n > 1; n = groups_for(n)) ++levels;
  level_.resize(levels);
  level_[0].resize(groups_for(entries.size()));
  numbers_.assign(level_[0].size() * width, -1);
  is_free_.assign(numbers_.size(), 0);
  parallel_for(level_[0].size(), [&](std::size_t g) {
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t place = g * width + i;
      if (place < order_.size()) {
        const Entry& entry = entries[static_cast<std::size_t>(order_[place].number)];
        set_lane(level_[0][g], i, rounded_outwards(entry.box));
        numbers_[place] = entry.number;
        is_free_[place] = entry.is_free;
      } else {
        set_lane(level_[0][g], i, empty);
      }
    }
  });
  for (std::size_t l = 1; l < levels; ++l) {
    const auto& below = level_[l - 1];
    level_[l].resize(groups_for(below.size()));
    parallel_for(level_[l].size(), [&](std::size_t g) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t child = g * width + i;
        set_lane(level_[l][g], i, child < below.size() ? hull(below[child]) : empty);
      }
    });
  }
}

template <int D>
template <class F>
void BoxTree<D>::visit(const FloatBox& box, std::size_t first, F&& at_group) const {
  if (level_.empty() || level_[0].empty()) return;
  struct Node {
    std::uint32_t level, group;
  };
  std::array<Node, 64> stack;  // at most width − 1 nodes per level are waiting
  std::size_t depth = 0;
  stack[depth++] = {static_cast<std::uint32_t>(level_.size() - 1), 0};
  while (depth > 0) {
    const auto [level, group] = stack[--depth];
    if (level == 0) {
      at_group(group);
      continue;
    }
    unsigned mask = meeting(level_[level][group], box);
    const std::size_t shift = 2 * (level - 1);  // a child covers 4^(level − 1) groups of boxes
    for (; mask != 0; mask &= mask - 1) {
      const std::size_t child = group * width + static_cast<std::size_t>(std::countr_zero(mask));
      if ((child + 1) << shift <= first) continue;
      stack[depth++] = {level - 1, static_cast<std::uint32_t>(child)};
    }
  }
}

template <int D>
std::size_t BoxTree<D>::chunks() const {
  return level_.empty() ? 0 : (level_[0].size() + groups_per_chunk - 1) / groups_per_chunk;
}

template <int D>
void BoxTree<D>::find_pairs(std::size_t chunk, std::vector<Pair>& found) const {
  const std::size_t last = std::min(level_[0].size(), (chunk + 1) * groups_per_chunk);
  for (std::size_t g = chunk * groups_per_chunk; g < last; ++g) {
    const Group& mine = level_[0][g];
    std::array<FloatBox, width> box;
    for (std::size_t i = 0; i < width; ++i) box[i] = lane(mine, i);
    visit(hull(mine), g, [&](std::size_t h) {
      for (std::size_t i = 0; i < width; ++i) {
        unsigned mask = meeting(level_[0][h], box[i]);
        if (h == g) mask &= ~0u << (i + 1);  // each pair once
        const std::size_t place = g * width + i;
        for (; mask != 0; mask &= mask - 1) {
          const std::size_t other = h * width + static_cast<std::size_t>(std::countr_zero(mask));
          if (!is_free_[place] && !is_free_[other]) continue;
          found.push_back({std::min(numbers_[place], numbers_[other]),
                           std::max(numbers_[place], numbers_[other])});
        }
      }
    });
  }
}

template <int D>
void BoxTree<D>::query(const Box<D>& box, std::vector<std::int32_t>& found) const {
  const FloatBox rounded = rounded_outwards(box);
  visit(rounded, 0, [&](std::size_t g) {
    for (unsigned mask = meeting(level_[0][g], rounded); mask != 0; mask &= mask - 1) {
      found.push_back(numbers_[g * width + static_cast<std::size_t>(std::countr_zero(mask))]);
    }
  });
}

template class BoxTree<2>;
template class BoxTree<3>;

}  // namespace talus
