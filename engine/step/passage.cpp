// SPDX-License-Identifier: Apache-2.0
#include "engine/step/passage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/detect/narrowphase.hpp"
#include "engine/step/joints.hpp"
#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// Overlap on the way that counts, beyond that at the ends, as a part of the smaller half width.
constexpr double overlap_that_counts = 0.5;

// Of the search for the least gap: (2/3)^30 of the way is left of it.
constexpr int search_steps = 30;

// Distance that a body's points travel at most, relative to its centre [m].
template <int D>
double turning(const Bodies<D>& bodies, std::size_t i, double duration) {
  const Geometry<D>& geometry = bodies.geometry_of(i);
  if (geometry.ball_radius > 0 || !std::isfinite(geometry.bounding_radius)) return 0;
  return duration * bodies.spin[i].norm() * geometry.bounding_radius;
}

// Two shapes of two bodies on their way.
template <int D>
class ShapePair {
 public:
  ShapePair(const Bodies<D>& bodies, const BodyPair& pair, const PeriodicImage<D>& image,
            const Shape<D>& a, const Shape<D>& b, double reach)
      : bodies_(bodies), pair_(pair), image_(image), a_(a), b_(b), reach_(reach) {}

  // Their gap a time ago, at most `reach`.
  double gap(double time) {
    contacts_.clear();
    PlacedShape<D> b = placed(pair_.b, b_, time);
    b.position += image_.offset - time * image_.velocity;
    find_shape_contacts<D>(placed(pair_.a, a_, time), b, reach_, contacts_);
    double gap = reach_;
    for (const ShapeContact<D>& contact : contacts_) gap = std::min(gap, contact.gap);
    return gap;
  }

  double least_gap(double duration) {
    double from = 0, to = duration;
    for (int k = 0; k < search_steps; ++k) {
      const double third = (to - from) / 3;
      if (gap(from + third) < gap(to - third))
        to -= third;
      else
        from += third;
    }
    return gap(0.5 * (from + to));
  }

 private:
  PlacedShape<D> placed(std::int32_t body, const Shape<D>& shape, double time) const {
    const std::size_t i = at(body);
    return {&shape, bodies_.position[i] - time * bodies_.velocity[i],
            rotation_matrix<D>(rotated<D>(bodies_.orientation[i], -time * bodies_.spin[i]))};
  }

  const Bodies<D>& bodies_;
  BodyPair pair_;
  const PeriodicImage<D>& image_;
  const Shape<D>&a_, &b_;
  double reach_;
  std::vector<ShapeContact<D>> contacts_;
};

template <int D>
bool passes(const Bodies<D>& bodies, const BodyPair& pair, const PeriodicImage<D>& image,
            double duration) {
  const std::size_t a = at(pair.a), b = at(pair.b);
  const Geometry<D>&of_a = bodies.geometry_of(a), &of_b = bodies.geometry_of(b);
  const double thin = std::min(of_a.half_width, of_b.half_width);
  const Vec<D> velocity = bodies.velocity[b] + image.velocity - bodies.velocity[a];
  const double way = duration * velocity.norm() + turning<D>(bodies, a, duration) +
                     turning<D>(bodies, b, duration);
  if (!(way > thin)) return false;
  for (const Shape<D>& shape_a : of_a.shapes) {
    for (const Shape<D>& shape_b : of_b.shapes) {
      ShapePair<D> shapes(bodies, pair, image, shape_a, shape_b, way);
      const double at_ends = std::min({0.0, shapes.gap(0), shapes.gap(duration)});
      if (shapes.least_gap(duration) < at_ends - overlap_that_counts * thin) return true;
    }
  }
  return false;
}

}  // namespace

template <int D>
int PassageWatch<D>::count(const Bodies<D>& bodies, const Way& way,
                           std::span<const std::size_t> newcomers, const ExcludedPairs<D>& excluded,
                           std::span<const StoredPercussion<D>> stored) {
  const double whole = way.in_step + way.before;
  struct Extremes {
    double way = 0, half_width = std::numeric_limits<double>::infinity();

    void operator+=(const Extremes& other) {
      way = std::max(way, other.way);
      half_width = std::min(half_width, other.half_width);
    }
  };
  const Extremes extremes =
      parallel_total<Extremes>(bodies.size(), [&](std::size_t first, std::size_t last) {
        Extremes part;
        for (std::size_t i = first; i < last; ++i) {
          if (bodies.geometry_of(i).shapes.empty()) continue;  // vacant
          const Vec<D> velocity = bodies.lattice.velocity(bodies.position[i], bodies.velocity[i]);
          part += {whole * velocity.norm() + turning<D>(bodies, i, whole),
                   bodies.geometry_of(i).half_width};
        }
        return part;
      });
  if (!(2 * extremes.way > extremes.half_width)) return 0;

  duration_.assign(bodies.size(), whole);
  for (const std::size_t newcomer : newcomers) duration_[newcomer] = way.in_step;
  reach_.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) {
    reach_[i] = {-duration_[i] * bodies.velocity[i], turning<D>(bodies, i, duration_[i])};
  });
  pair_search_.find(bodies, reach_, -whole, excluded, pairs_, images_);
  const auto was_stopped = [&](const BodyPair& pair) {
    const ContactKey first{pair.a, pair.b, std::numeric_limits<std::int32_t>::min(),
                           std::numeric_limits<std::int32_t>::min(), 0};
    auto found = std::ranges::lower_bound(stored, first, {}, &StoredPercussion<D>::key);
    for (; found != stored.end() && found->key.a == pair.a && found->key.b == pair.b; ++found)
      if (!found->percussion.isZero(0)) return true;
    return false;
  };
  return parallel_total<int>(pairs_.size(), [&](std::size_t first, std::size_t last) {
    int part = 0;
    for (std::size_t k = first; k < last; ++k) {
      const BodyPair& pair = pairs_[k];
      const PeriodicImage<D> image = images_.empty() ? PeriodicImage<D>{} : images_[k];
      const double duration = std::min(duration_[at(pair.a)], duration_[at(pair.b)]);
      part += !was_stopped(pair) && passes<D>(bodies, pair, image, duration);
    }
    return part;
  });
}

template class PassageWatch<2>;
template class PassageWatch<3>;

}  // namespace talus
