#include "engine/broadphase.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "solvers/parallel.hpp"

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t leaf_size = 4;  // bodies per leaf of the tree

template <int D>
struct Box {
  Vec<D> low = Vec<D>::Constant(infinity), high = Vec<D>::Constant(-infinity);

  void include(const Vec<D>& x, double radius) {
    low = low.cwiseMin((x.array() - radius).matrix());
    high = high.cwiseMax((x.array() + radius).matrix());
  }
  void include(const Box& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  // Written out: the loop of the query is made of this.
  bool meets(const Box& other) const {
    for (int i = 0; i < D; ++i) {
      if (low[i] > other.high[i] || other.low[i] > high[i]) return false;
    }
    return true;
  }
};

template <int D>
Box<D> swept_box(const Bodies<D>& bodies, std::size_t i, const Reach<D>& reach) {
  const Geometry<D>& geometry = bodies.geometry_of(i);
  Box<D> box;
  if (geometry.ball_radius > 0) {
    box.include(bodies.position[i], geometry.ball_radius);
  } else {
    const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
    const auto include = [&](const Vec<D>& x, double radius) {
      box.include(bodies.position[i] + R * x, radius);
    };
    for (const Shape<D>& shape : geometry.shapes) {
      if (const auto* ball = std::get_if<Ball<D>>(&shape)) {
        include(ball->centre, ball->radius);
      } else if (const auto* capsule = std::get_if<Capsule<D>>(&shape)) {
        for (const Vec<D>& end : capsule->ends) include(end, capsule->radius);
      } else if (const auto* polytope = std::get_if<Polytope<D>>(&shape)) {
        for (const Vec<D>& vertex : polytope->vertices) include(vertex, 0);
      }
    }
  }
  box.low += (reach.displacement.array().min(0) - reach.margin).matrix();
  box.high += (reach.displacement.array().max(0) + reach.margin).matrix();
  return box;
}

// Whether a half-space of body i comes within reach of a box; both may move.
template <int D>
bool half_space_meets(const Bodies<D>& bodies, std::size_t i, const Reach<D>& reach,
                      const Box<D>& box) {
  const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
  for (const Shape<D>& shape : bodies.geometry_of(i).shapes) {
    const auto* half_space = std::get_if<HalfSpace<D>>(&shape);
    if (!half_space) continue;
    const Vec<D> n = R * half_space->normal;
    double lowest = -n.dot(bodies.position[i]) - half_space->offset - reach.margin -
                    std::max(0.0, n.dot(reach.displacement));
    for (int k = 0; k < D; ++k) lowest += n[k] * (n[k] > 0 ? box.low[k] : box.high[k]);
    if (lowest <= 0) return true;
  }
  return false;
}

// Interleaves the leading bits of D grid coordinates.
template <int D>
std::uint64_t morton(const std::array<std::uint32_t, D>& cell, int bits) {
  std::uint64_t code = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (int k = 0; k < D; ++k) code = code << 1 | (cell[static_cast<std::size_t>(k)] >> bit & 1u);
  }
  return code;
}

}  // namespace

// A binary tree of boxes over the bodies in the order of a space-filling curve, bodies of like size
// together, so that one large body does not widen the boxes of its small neighbours. Nodes lie as
// in a heap: the children of k are 2k + 1 and 2k + 2; the leaves come last.
template <int D>
struct Broadphase<D>::Tree {
  struct Place {
    std::uint64_t key;
    std::int32_t body;

    auto operator<=>(const Place&) const = default;
  };

  std::vector<Box<D>> boxes;           // of each body
  std::vector<std::int32_t> infinite;  // bodies with half-spaces
  std::vector<Place> order;            // finite bodies along the curve
  std::vector<Box<D>> leaf_boxes;      // boxes in that order
  std::vector<Box<D>> nodes;
  std::size_t leaves = 0;                    // a power of two
  std::vector<std::vector<BodyPair>> found;  // per chunk of queries
  std::vector<std::size_t> row_end;

  void sort_bodies(const Bodies<D>& bodies, std::span<const Reach<D>> reach);
  void build();
  void query(const Bodies<D>& bodies, std::size_t place, std::vector<BodyPair>& pairs) const;
};

template <int D>
void Broadphase<D>::Tree::sort_bodies(const Bodies<D>& bodies, std::span<const Reach<D>> reach) {
  boxes.resize(bodies.size());
  order.clear();
  infinite.clear();
  Box<D> all;
  parallel_for(bodies.size(), [&](std::size_t i) {
    if (std::isfinite(bodies.geometry_of(i).bounding_radius))
      boxes[i] = swept_box<D>(bodies, i, reach[i]);
  });
  double smallest = infinity;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (std::isfinite(bodies.geometry_of(i).bounding_radius)) {
      order.push_back({0, static_cast<std::int32_t>(i)});
      all.include(boxes[i]);
      smallest = std::min(smallest, bodies.geometry_of(i).bounding_radius);
    } else {
      infinite.push_back(static_cast<std::int32_t>(i));
    }
  }
  constexpr int class_bits = 6;
  constexpr int bits = std::min(31, (64 - class_bits) / D);
  const double cells = std::ldexp(1.0, bits) - 1;
  const Vec<D> extent = (all.high - all.low).cwiseMax(std::numeric_limits<double>::min());
  parallel_for(order.size(), [&](std::size_t k) {
    const auto body = static_cast<std::size_t>(order[k].body);
    const Vec<D> centre = 0.5 * (boxes[body].low + boxes[body].high);
    std::array<std::uint32_t, D> cell;
    for (int i = 0; i < D; ++i) {
      const double share = std::clamp((centre[i] - all.low[i]) / extent[i], 0.0, 1.0);
      cell[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(share * cells);
    }
    const int size_class =
        std::min(63, std::ilogb(bodies.geometry_of(body).bounding_radius / smallest) / 2);
    order[k].key =
        static_cast<std::uint64_t>(size_class) << (64 - class_bits) | morton<D>(cell, bits);
  });
  std::sort(order.begin(), order.end());
}

template <int D>
void Broadphase<D>::Tree::build() {
  leaves = std::bit_ceil(std::max<std::size_t>(1, (order.size() + leaf_size - 1) / leaf_size));
  nodes.assign(2 * leaves - 1, {});
  leaf_boxes.resize(order.size());
  parallel_for(leaves, [&](std::size_t leaf) {
    const std::size_t last = std::min(order.size(), (leaf + 1) * leaf_size);
    for (std::size_t k = leaf * leaf_size; k < last; ++k) {
      leaf_boxes[k] = boxes[static_cast<std::size_t>(order[k].body)];
      nodes[leaves - 1 + leaf].include(leaf_boxes[k]);
    }
  });
  for (std::size_t k = leaves - 1; k-- > 0;) {
    nodes[k] = nodes[2 * k + 1];
    nodes[k].include(nodes[2 * k + 2]);
  }
}

// Pairs of the body at `place` with the bodies after it.
template <int D>
void Broadphase<D>::Tree::query(const Bodies<D>& bodies, std::size_t place,
                                std::vector<BodyPair>& pairs) const {
  struct Subtree {
    std::size_t node, first_leaf, leaf_count;
  };
  std::array<Subtree, 128> stack;
  std::size_t depth = 0;
  const Box<D>& box = leaf_boxes[place];
  const std::int32_t i = order[place].body;
  const bool free = bodies.moves_freely(static_cast<std::size_t>(i));
  stack[depth++] = {0, 0, leaves};
  while (depth > 0) {
    const Subtree subtree = stack[--depth];
    if ((subtree.first_leaf + subtree.leaf_count) * leaf_size <= place + 1) continue;
    if (!nodes[subtree.node].meets(box)) continue;
    if (subtree.leaf_count > 1) {
      const std::size_t half = subtree.leaf_count / 2;
      stack[depth++] = {2 * subtree.node + 2, subtree.first_leaf + half, half};
      stack[depth++] = {2 * subtree.node + 1, subtree.first_leaf, half};
      continue;
    }
    const std::size_t last = std::min(order.size(), (subtree.first_leaf + 1) * leaf_size);
    for (std::size_t k = std::max(place + 1, subtree.first_leaf * leaf_size); k < last; ++k) {
      const std::int32_t j = order[k].body;
      if (!leaf_boxes[k].meets(box) || !(free || bodies.moves_freely(static_cast<std::size_t>(j))))
        continue;
      pairs.push_back({std::min(i, j), std::max(i, j)});
    }
  }
}

template <int D>
Broadphase<D>::Broadphase() : tree_(std::make_unique<Tree>()) {}
template <int D>
Broadphase<D>::~Broadphase() = default;
template <int D>
Broadphase<D>::Broadphase(Broadphase&&) noexcept = default;
template <int D>
Broadphase<D>& Broadphase<D>::operator=(Broadphase&&) noexcept = default;

template <int D>
void Broadphase<D>::find_pairs(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
                               std::vector<BodyPair>& pairs) {
  Tree& tree = *tree_;
  tree.sort_bodies(bodies, reach);
  tree.build();

  constexpr std::size_t queries_per_chunk = 512;
  const std::size_t chunks = (tree.order.size() + queries_per_chunk - 1) / queries_per_chunk;
  if (tree.found.size() < chunks) tree.found.resize(chunks);
  for (auto& found : tree.found) found.clear();
  parallel_chunks(
      tree.order.size(),
      [&](std::size_t chunk, std::size_t first, std::size_t last) {
        std::vector<BodyPair>& found = tree.found[chunk];
        for (std::size_t place = first; place < last; ++place) {
          tree.query(bodies, place, found);
          const auto i = static_cast<std::size_t>(tree.order[place].body);
          if (!bodies.moves_freely(i)) continue;
          for (const std::int32_t plane : tree.infinite) {
            const auto p = static_cast<std::size_t>(plane);
            if (!half_space_meets<D>(bodies, p, reach[p], tree.boxes[i])) continue;
            found.push_back(
                {std::min(plane, tree.order[place].body), std::max(plane, tree.order[place].body)});
          }
        }
      },
      queries_per_chunk);

  // Sorted by a counting sort on a, then on b within each row: the order never depends on how pairs
  // were found.
  tree.row_end.assign(bodies.size() + 1, 0);
  for (const auto& found : tree.found) {
    for (const BodyPair& pair : found) ++tree.row_end[static_cast<std::size_t>(pair.a) + 1];
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) tree.row_end[i + 1] += tree.row_end[i];
  pairs.resize(tree.row_end.back());
  for (const auto& found : tree.found) {
    for (const BodyPair& pair : found)
      pairs[tree.row_end[static_cast<std::size_t>(pair.a)]++] = pair;
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    const auto begin = pairs.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(i == 0 ? 0 : tree.row_end[i - 1]),
              begin + static_cast<std::ptrdiff_t>(tree.row_end[i]));
  });
}

template class Broadphase<2>;
template class Broadphase<3>;

}  // namespace talus
