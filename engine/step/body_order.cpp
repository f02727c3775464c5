// SPDX-License-Identifier: Apache-2.0
#include "engine/step/body_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
struct Extent {
  Vec<D> low = Vec<D>::Constant(std::numeric_limits<double>::infinity()), high = -low;

  void operator+=(const Extent& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
};

}  // namespace

template <int D>
void BodyOrder<D>::find(const Bodies<D>& bodies, std::vector<int>& order) {
  constexpr std::size_t few = 2048;
  order.clear();
  if (bodies.size() < few) return;
  const auto extent_of = [&](std::size_t first, std::size_t last) {
    Extent<D> extent;
    for (std::size_t i = first; i < last; ++i) {
      if (bodies.moves_freely(i)) extent += {bodies.position[i], bodies.position[i]};
    }
    return extent;
  };
  const Extent<D> box = parallel_total<Extent<D>>(bodies.size(), extent_of);
  // Four digits of the sort. Longer keys take longer; with shorter ones a single body that has
  // flown far away would leave the others in a few cells.
  constexpr int bits = std::min(44 / D, curve_bits<D>);
  const double extent = (box.high - box.low).maxCoeff();
  const double scale = extent > 0 ? (std::ldexp(1.0, bits) - 1) / extent : 0;
  const auto place_of = [&](std::size_t i) -> CurvePlace {
    const bool free = bodies.moves_freely(i);
    return {free ? curve_key<D>(scale * (bodies.position[i] - box.low)) : 0,
            static_cast<std::int32_t>(i)};
  };
  const bool known = places_.size() == bodies.size();
  if (known) {
    parallel_for(bodies.size(), [&](std::size_t k) {
      places_[k] = place_of(static_cast<std::size_t>(places_[k].number));
    });
  }
  if (!known || !sort_again_along_curve(places_, scratch_)) {
    places_.resize(bodies.size());
    parallel_for(bodies.size(), [&](std::size_t i) { places_[i] = place_of(i); });
    sort_along_curve(places_, scratch_, D * bits);
  }
  order.resize(bodies.size() + 1);
  parallel_for(bodies.size(), [&](std::size_t k) { order[k] = places_[k].number; });
  order.back() = static_cast<int>(bodies.size());  // the world at rest
}

template class BodyOrder<2>;
template class BodyOrder<3>;

}  // namespace talus
