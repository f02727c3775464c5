// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
bool has_images(const Bodies<D>& bodies, std::size_t i) {
  const Geometry<D>& geometry = bodies.geometry_of(i);
  return !geometry.shapes.empty() && std::isfinite(geometry.bounding_radius);
}

// Distance from its position that a body can be met at, at most [m].
template <int D>
double radius_of(const Bodies<D>& bodies, std::size_t i, const Reach<D>& reach) {
  return bodies.geometry_of(i).bounding_radius + reach.margin + reach.displacement.norm();
}

// The lattice vectors to the cells around a cell, along the axes that are periodic.
template <int D>
std::vector<Vec<D>> cells_around(const Lattice<D>& lattice) {
  std::vector<Vec<D>> cells = {Vec<D>::Zero()};
  for (int k = 0; k < D; ++k) {
    if (!lattice.periodic[static_cast<std::size_t>(k)]) continue;
    const std::size_t before = cells.size();
    for (const double step : {-1.0, 1.0})
      for (std::size_t i = 0; i < before; ++i) cells.push_back(cells[i] + step * Vec<D>::Unit(k));
  }
  cells.erase(cells.begin());
  return cells;
}

// The first number that is not zero is positive.
template <int D>
bool leads(const Vec<D>& shift) {
  for (int k = 0; k < D; ++k)
    if (shift[k] != 0) return shift[k] > 0;
  return false;
}

template <int D>
bool before(const Vec<D>& x, const Vec<D>& y) {
  return std::lexicographical_compare(x.data(), x.data() + D, y.data(), y.data() + D);
}

}  // namespace

template <int D>
void PairSearch<D>::place_entries(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
                                  double duration) {
  const Lattice<D>& lattice = bodies.lattice;
  const std::size_t n = bodies.size();
  entries_.resize(n);
  seen_.position.resize(n);
  seen_.orientation.assign(bodies.orientation.begin(), bodies.orientation.end());
  seen_.inverse_mass.assign(bodies.inverse_mass.begin(), bodies.inverse_mass.end());
  seen_.geometry.assign(bodies.geometry.begin(), bodies.geometry.end());
  if (seen_.geometries.size() != bodies.geometries.size()) seen_.geometries = bodies.geometries;
  seen_reach_.assign(reach.begin(), reach.end());
  parallel_for(n, [&](std::size_t i) {
    Entry& entry = entries_[i];
    entry = {static_cast<std::int32_t>(i), Vec<D>::Zero()};
    seen_.position[i] = bodies.position[i];
    if (!has_images<D>(bodies, i)) return;
    entry.away = lattice.images_away(bodies.position[i]);
    const Vec<D> offset = lattice.A * entry.away;
    seen_.position[i] -= offset;
    seen_reach_[i].displacement -= duration * (lattice.L * offset);
  });
}

// Further images of bodies that reach into where the bodies in the cell are. Of two bodies that
// move freely one image is enough, that of whichever leads; a pair of images is not looked for.
template <int D>
void PairSearch<D>::add_images(const Bodies<D>& bodies, double duration) {
  const Lattice<D>& lattice = bodies.lattice;
  const std::size_t n = bodies.size();
  Vec<D> low = Vec<D>::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::size_t i = 0; i < n; ++i) {
    if (!has_images<D>(bodies, i)) continue;
    const Vec<D> radius = Vec<D>::Constant(radius_of<D>(bodies, i, seen_reach_[i]));
    low = low.cwiseMin(seen_.position[i] - radius);
    high = high.cwiseMax(seen_.position[i] + radius);
  }
  const UprightBasis<D> basis = upright_basis<D>(lattice);
  const std::vector<Vec<D>> cells = cells_around<D>(lattice);
  for (std::size_t i = 0; i < n; ++i) {
    if (!has_images<D>(bodies, i)) continue;
    const bool is_free = bodies.moves_freely(i);
    for (const Vec<D>& cell : cells) {
      if (is_free && !leads<D>(cell)) continue;
      const Vec<D> offset = basis.B * cell, x = seen_.position[i] + offset;
      Reach<D> image_reach = seen_reach_[i];
      image_reach.displacement += duration * (lattice.L * offset);
      const double radius = radius_of<D>(bodies, i, image_reach);
      bool near = true;
      for (int k = 0; k < D; ++k)
        near = near && x[k] + radius >= low[k] && x[k] - radius <= high[k];
      if (!near) continue;
      entries_.push_back({static_cast<std::int32_t>(i), entries_[i].away - basis.U * cell});
      seen_.position.push_back(x);
      seen_.orientation.push_back(bodies.orientation[i]);
      seen_.inverse_mass.push_back(0);
      seen_.geometry.push_back(bodies.geometry[i]);
      seen_reach_.push_back(image_reach);
    }
  }
}

template <int D>
void PairSearch<D>::find(const Bodies<D>& bodies, std::span<const Reach<D>> reach, double duration,
                         const ExcludedPairs<D>& excluded, std::vector<BodyPair>& pairs,
                         std::vector<PeriodicImage<D>>& images) {
  images.clear();
  const Lattice<D>& lattice = bodies.lattice;
  if (!lattice.exists()) {
    broadphase_.find_pairs(bodies, reach, pairs);
    excluded.remove_from(pairs, bodies);
    return;
  }
  place_entries(bodies, reach, duration);
  add_images(bodies, duration);
  if (entries_ != last_entries_) {  // what is kept from call to call is of other entries
    broadphase_ = Broadphase<D>();
    last_entries_ = entries_;
  }
  broadphase_.find_pairs(seen_, seen_reach_, seen_pairs_);

  found_.clear();
  for (const BodyPair& seen : seen_pairs_) {
    const Entry *a = &entries_[at(seen.a)], *b = &entries_[at(seen.b)];
    if (a->body > b->body) std::swap(a, b);
    // Entries are at x − A away: the image of b that is near the continued a is at x_b + A n.
    found_.push_back({{a->body, b->body}, a->away - b->away});
  }
  std::erase_if(found_, [&](const Found& found) {
    return found.pair.a == found.pair.b || excluded.excludes(found.pair, bodies);
  });
  std::ranges::sort(found_, [](const Found& x, const Found& y) {
    if (x.pair != y.pair) return x.pair < y.pair;
    return before<D>(x.shift, y.shift);
  });
  pairs.clear();
  for (const Found& found : found_) {
    const Vec<D> offset = lattice.A * found.shift;
    pairs.push_back(found.pair);
    images.push_back({found.shift, offset, lattice.L * offset});
  }
}

template class PairSearch<2>;
template class PairSearch<3>;

}  // namespace talus
