// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/broadphase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/detect/broadphase_tree.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
Box<D> empty_box() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {Vec<D>::Constant(infinity), Vec<D>::Constant(-infinity)};
}

template <int D>
bool is_empty(const Box<D>& box) {
  return box.high[0] < box.low[0];
}

template <int D>
void include(Box<D>& box, const Vec<D>& x, double radius) {
  for (int k = 0; k < D; ++k) {
    box.low[k] = std::min(box.low[k], x[k] - radius);
    box.high[k] = std::max(box.high[k], x[k] + radius);
  }
}

template <int D>
void include(Box<D>& box, const Ball<D>& ball, const Vec<D>& position, const Mat<D>& R) {
  include<D>(box, position + R * ball.centre, ball.radius);
}
template <int D>
void include(Box<D>& box, const Capsule<D>& capsule, const Vec<D>& position, const Mat<D>& R) {
  for (const Vec<D>& end : capsule.ends) include<D>(box, position + R * end, capsule.radius);
}
template <int D>
void include(Box<D>& box, const Polytope<D>& polytope, const Vec<D>& position, const Mat<D>& R) {
  for (const Vec<D>& x : polytope.vertices) include<D>(box, position + R * x, 0);
}
template <int D>
void include(Box<D>&, const HalfSpace<D>&, const Vec<D>&, const Mat<D>&) {}
template <int D>
void include(Box<D>& box, const TriangleMesh& mesh, const Vec<D>& position, const Mat<D>& R) {
  for (int k = 0; k < 8; ++k) {
    const Vec<3> corner(k & 1 ? mesh.high[0] : mesh.low[0], k & 2 ? mesh.high[1] : mesh.low[1],
                        k & 4 ? mesh.high[2] : mesh.low[2]);
    include<D>(box, position + R * corner, 0);
  }
}

// Bounding box of the finite shapes of a body, swept along its displacement.
template <int D>
Box<D> swept_box(const Bodies<D>& bodies, std::size_t i, const Reach<D>& reach) {
  const Geometry<D>& geometry = bodies.geometry_of(i);
  Box<D> box = empty_box<D>();
  if (geometry.ball_radius > 0) {
    include<D>(box, bodies.position[i], geometry.ball_radius);
  } else {
    const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
    for (const Shape<D>& shape : geometry.shapes) {
      std::visit([&](const auto& s) { include<D>(box, s, bodies.position[i], R); }, shape);
    }
  }
  for (int k = 0; k < D; ++k) {
    box.low[k] += std::min(reach.displacement[k], 0.0) - reach.margin;
    box.high[k] += std::max(reach.displacement[k], 0.0) + reach.margin;
  }
  return box;
}

template <int D>
bool holds(const Box<D>& outer, const Box<D>& inner) {
  for (int k = 0; k < D; ++k) {
    if (!(outer.low[k] <= inner.low[k] && inner.high[k] <= outer.high[k])) return false;
  }
  return true;
}

// The solid side of a moving plane, within reach: normal · x ≤ offset.
template <int D>
bool meets(const HalfSpace<D>& plane, const Box<D>& box) {
  double lowest = 0;
  for (int k = 0; k < D; ++k) {
    lowest += plane.normal[k] * (plane.normal[k] > 0 ? box.low[k] : box.high[k]);
  }
  return lowest <= plane.offset;
}

}  // namespace

template <int D>
struct Broadphase<D>::Candidates {
  // A body with half-spaces. Its finite shapes have a box like those of other bodies.
  struct Ground {
    std::int32_t body;
    std::size_t first, last;  // its planes
  };

  std::vector<Box<D>> boxes;         // of each body, this call
  std::vector<Ground> grounds;       // this call
  std::vector<HalfSpace<D>> planes;  // of all grounds, in world axes, swept and widened
  std::vector<char> is_ground;       // of each body
  std::vector<Box<D>> wide;          // boxes the candidates were found with
  std::vector<char> was_free;        // whether each body was free then
  std::vector<std::int32_t> old_grounds;
  BoxTree<D> tree;                     // over the wide boxes
  std::vector<std::size_t> row_start;  // candidates of body a: partner[row_start[a] …]
  std::vector<std::int32_t> partner;   // b > a, ascending in each row
  std::vector<char> is_loose;          // whether each body has left its wide box since
  std::vector<int> loose;
  std::vector<BodyPair> loose_pairs;
  // scratch
  std::vector<int> boxed;  // bodies with a box in the tree
  std::vector<typename BoxTree<D>::Entry> entries;
  std::vector<std::vector<typename BoxTree<D>::Pair>> found;
  std::vector<std::vector<BodyPair>> filtered;
  std::vector<std::size_t> start;
  std::vector<std::int32_t> partners_of_loose;

  void place(const Bodies<D>& bodies, std::span<const Reach<D>> reach);
  bool still_hold(const Bodies<D>& bodies);
  void find_anew(const Bodies<D>& bodies, std::span<const Reach<D>> reach);
  void sort_into_rows(std::size_t bodies);
  bool meet(const Ground& ground, std::size_t b) const;
  void filter_row(const Bodies<D>& bodies, std::size_t a, std::vector<BodyPair>& pairs) const;
  void find_loose_pairs(const Bodies<D>& bodies);
  void filter_rows(const Bodies<D>& bodies, std::size_t first, std::size_t last,
                   std::vector<BodyPair>& pairs) const;
  void filter(const Bodies<D>& bodies, std::vector<BodyPair>& pairs);
};

// Computes the boxes and planes of this call.
template <int D>
void Broadphase<D>::Candidates::place(const Bodies<D>& bodies, std::span<const Reach<D>> reach) {
  boxes.resize(bodies.size());
  is_ground.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) {
    boxes[i] = swept_box<D>(bodies, i, reach[i]);
    is_ground[i] = !std::isfinite(bodies.geometry_of(i).bounding_radius);
  });
  grounds.clear();
  planes.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!is_ground[i]) continue;
    const std::size_t first = planes.size();
    const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
    for (const Shape<D>& shape : bodies.geometry_of(i).shapes) {
      const auto* half_space = std::get_if<HalfSpace<D>>(&shape);
      if (!half_space) continue;
      const Vec<D> n = R * half_space->normal;
      planes.push_back({n, n.dot(bodies.position[i]) + half_space->offset + reach[i].margin +
                               std::max(0.0, n.dot(reach[i].displacement))});
    }
    grounds.push_back({static_cast<std::int32_t>(i), first, planes.size()});
  }
}

// Whether the candidates are still usable: only few bodies have left their wide boxes, or changed
// between free and not free. These bodies are called loose.
template <int D>
bool Broadphase<D>::Candidates::still_hold(const Bodies<D>& bodies) {
  if (wide.size() != bodies.size()) return false;
  if (!std::equal(grounds.begin(), grounds.end(), old_grounds.begin(), old_grounds.end(),
                  [](const Ground& ground, std::int32_t body) { return ground.body == body; })) {
    return false;
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    is_loose[i] = !is_ground[i] && (!holds<D>(wide[i], boxes[i]) ||
                                    was_free[i] != static_cast<char>(bodies.moves_freely(i)));
  });
  parallel_list(
      bodies.size(), [&](std::size_t i) { return is_loose[i] != 0; }, loose);
  return loose.size() <= std::clamp<std::size_t>(bodies.size() / 200, 64, 2000);
}

template <int D>
void Broadphase<D>::Candidates::find_anew(const Bodies<D>& bodies,
                                          std::span<const Reach<D>> reach) {
  constexpr double widening = 0.1;           // as a fraction of the mean half side of a box
  constexpr double steps_foreseen = 8;       // widened by so many steps of this displacement,
  constexpr double longest_foresight = 1.0;  // but by no more than this many mean half sides
  wide.resize(bodies.size());
  was_free.resize(bodies.size());
  is_loose.assign(bodies.size(), 0);
  loose.clear();
  old_grounds.clear();
  for (const Ground& ground : grounds) old_grounds.push_back(ground.body);
  parallel_list(
      bodies.size(), [&](std::size_t i) { return !is_ground[i] && !is_empty<D>(boxes[i]); }, boxed);
  parallel_for(bodies.size(), [&](std::size_t i) {
    was_free[i] = bodies.moves_freely(i);
    wide[i] = boxes[i];
  });
  entries.resize(boxed.size());
  parallel_for(boxed.size(), [&](std::size_t k) {
    const auto i = static_cast<std::size_t>(boxed[k]);
    const double half_side = (boxes[i].high - boxes[i].low).sum() / (2 * D);
    const double travel = reach[i].displacement.norm();
    const double steps = std::min(steps_foreseen, longest_foresight * half_side / travel);
    const Vec<D> foreseen = travel > 0 ? Vec<D>(steps * reach[i].displacement) : Vec<D>::Zero();
    const Vec<D> room = Vec<D>::Constant(widening * half_side);
    wide[i].low = boxes[i].low + foreseen.cwiseMin(Vec<D>::Zero()) - room;
    wide[i].high = boxes[i].high + foreseen.cwiseMax(Vec<D>::Zero()) + room;
    entries[k] = {wide[i], boxed[k], half_side, was_free[i] != 0};
  });
  tree.build(entries);
  found.resize(std::max(found.size(), tree.chunks()));
  for (auto& chunk : found) chunk.clear();
  parallel_chunks(
      tree.chunks(),
      [&](std::size_t chunk, std::size_t, std::size_t) { tree.find_pairs(chunk, found[chunk]); },
      1);
  sort_into_rows(bodies.size());
}

template <int D>
void Broadphase<D>::Candidates::sort_into_rows(std::size_t bodies) {
  row_start.assign(bodies + 1, 0);
  for (const auto& chunk : found) {
    for (const auto& pair : chunk) ++row_start[static_cast<std::size_t>(pair.a)];
  }
  std::size_t sum = 0;
  for (std::size_t& row : row_start) sum += std::exchange(row, sum);
  partner.resize(sum);
  for (const auto& chunk : found) {
    for (const auto& pair : chunk) partner[row_start[static_cast<std::size_t>(pair.a)]++] = pair.b;
  }
  std::copy_backward(row_start.begin(), row_start.end() - 1, row_start.end());
  row_start[0] = 0;
  parallel_for(bodies, [&](std::size_t a) {
    std::sort(partner.begin() + static_cast<std::ptrdiff_t>(row_start[a]),
              partner.begin() + static_cast<std::ptrdiff_t>(row_start[a + 1]));
  });
}

template <int D>
bool Broadphase<D>::Candidates::meet(const Ground& ground, std::size_t b) const {
  const std::span of_ground(planes.data() + ground.first, planes.data() + ground.last);
  return boxes[static_cast<std::size_t>(ground.body)].meets(boxes[b]) ||
         std::any_of(of_ground.begin(), of_ground.end(),
                     [&](const HalfSpace<D>& plane) { return meets<D>(plane, boxes[b]); });
}

// Pairs of body a with bodies b > a, ascending.
template <int D>
void Broadphase<D>::Candidates::filter_row(const Bodies<D>& bodies, std::size_t a,
                                           std::vector<BodyPair>& pairs) const {
  const auto number = static_cast<std::int32_t>(a);
  auto ground = std::lower_bound(grounds.begin(), grounds.end(), number,
                                 [](const Ground& g, std::int32_t body) { return g.body < body; });
  if (is_ground[a]) {
    for (std::size_t b = a + 1; b < boxes.size(); ++b) {
      if (bodies.moves_freely(b) && meet(*ground, b)) {
        pairs.push_back({number, static_cast<std::int32_t>(b)});
      }
    }
    return;
  }
  const auto add_grounds_before = [&](std::int32_t b) {
    for (; ground != grounds.end() && ground->body < b; ++ground) {
      if (meet(*ground, a)) pairs.push_back({number, ground->body});
    }
  };
  if (!bodies.moves_freely(a)) ground = grounds.end();
  if (!is_loose[a]) {
    const Box<D>& box = boxes[a];
    for (std::size_t k = row_start[a]; k < row_start[a + 1]; ++k) {
      const std::int32_t b = partner[k];
      if (is_loose[static_cast<std::size_t>(b)] || !box.meets(boxes[static_cast<std::size_t>(b)])) {
        continue;
      }
      add_grounds_before(b);
      pairs.push_back({number, b});
    }
  }
  add_grounds_before(std::numeric_limits<std::int32_t>::max());
}

// Pairs of loose bodies: with other bodies by a query of the tree, with each other by testing all.
template <int D>
void Broadphase<D>::Candidates::find_loose_pairs(const Bodies<D>& bodies) {
  loose_pairs.clear();
  const auto consider = [&](std::int32_t i, std::int32_t j) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (!bodies.moves_freely(a) && !bodies.moves_freely(b)) return;
    if (boxes[a].meets(boxes[b])) loose_pairs.push_back({std::min(i, j), std::max(i, j)});
  };
  for (std::size_t k = 0; k < loose.size(); ++k) {
    if (is_empty<D>(boxes[static_cast<std::size_t>(loose[k])])) continue;
    partners_of_loose.clear();
    tree.query(boxes[static_cast<std::size_t>(loose[k])], partners_of_loose);
    for (std::int32_t j : partners_of_loose) {
      if (!is_loose[static_cast<std::size_t>(j)]) consider(loose[k], j);
    }
    for (std::size_t l = k + 1; l < loose.size(); ++l) consider(loose[k], loose[l]);
  }
  std::sort(loose_pairs.begin(), loose_pairs.end());
}

// Pairs of bodies first … last − 1 with later ones, including loose bodies, ascending.
template <int D>
void Broadphase<D>::Candidates::filter_rows(const Bodies<D>& bodies, std::size_t first,
                                            std::size_t last, std::vector<BodyPair>& pairs) const {
  auto next_loose = std::lower_bound(loose_pairs.begin(), loose_pairs.end(),
                                     BodyPair{static_cast<std::int32_t>(first), 0});
  for (std::size_t a = first; a < last; ++a) {
    const std::size_t row = pairs.size();
    filter_row(bodies, a, pairs);
    if (next_loose == loose_pairs.end() || next_loose->a != static_cast<std::int32_t>(a)) continue;
    while (next_loose != loose_pairs.end() && next_loose->a == static_cast<std::int32_t>(a)) {
      pairs.push_back(*next_loose++);
    }
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(row), pairs.end());
  }
}

template <int D>
void Broadphase<D>::Candidates::filter(const Bodies<D>& bodies, std::vector<BodyPair>& pairs) {
  if (threads() == 1) {
    pairs.clear();
    return filter_rows(bodies, 0, bodies.size(), pairs);
  }
  const std::size_t chunks = (bodies.size() + stretch_length - 1) / stretch_length;
  if (filtered.size() < chunks) filtered.resize(chunks);
  parallel_chunks(
      bodies.size(),
      [&](std::size_t chunk, std::size_t first, std::size_t last) {
        filtered[chunk].clear();
        filter_rows(bodies, first, last, filtered[chunk]);
      },
      stretch_length);
  start.assign(chunks + 1, 0);
  for (std::size_t c = 0; c < chunks; ++c) start[c + 1] = start[c] + filtered[c].size();
  pairs.resize(start[chunks]);
  parallel_chunks(
      chunks,
      [&](std::size_t c, std::size_t, std::size_t) {
        std::copy(filtered[c].begin(), filtered[c].end(),
                  pairs.begin() + static_cast<std::ptrdiff_t>(start[c]));
      },
      1);
}

template <int D>
Broadphase<D>::Broadphase() : candidates_(std::make_unique<Candidates>()) {}
template <int D>
Broadphase<D>::~Broadphase() = default;
template <int D>
Broadphase<D>::Broadphase(Broadphase&&) noexcept = default;
template <int D>
Broadphase<D>& Broadphase<D>::operator=(Broadphase&&) noexcept = default;

template <int D>
void Broadphase<D>::find_pairs(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
                               std::vector<BodyPair>& pairs) {
  Candidates& candidates = *candidates_;
  candidates.place(bodies, reach);
  if (!candidates.still_hold(bodies)) candidates.find_anew(bodies, reach);
  candidates.find_loose_pairs(bodies);
  candidates.filter(bodies, pairs);
}

template class Broadphase<2>;
template class Broadphase<3>;

}  // namespace talus
