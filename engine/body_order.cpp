#include "engine/body_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/parallel.hpp"

namespace talus {

template <int D>
void BodyOrder<D>::find(const Bodies<D>& bodies, std::vector<int>& order) {
  constexpr std::size_t few = 2048;
  order.clear();
  if (bodies.size() < few) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec<D> low = Vec<D>::Constant(infinity), high = -low;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    low = low.cwiseMin(bodies.position[i]);
    high = high.cwiseMax(bodies.position[i]);
  }
  // Four digits of the sort. Longer keys take longer; with shorter ones a single body that has
  // flown far away would leave the others in a few cells.
  constexpr int bits = std::min(44 / D, curve_bits<D>);
  const double extent = (high - low).maxCoeff();
  const double scale = extent > 0 ? (std::ldexp(1.0, bits) - 1) / extent : 0;
  places_.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) {
    places_[i] = {bodies.moves_freely(i) ? curve_key<D>(scale * (bodies.position[i] - low)) : 0,
                  static_cast<std::int32_t>(i)};
  });
  sort_along_curve(places_, scratch_, D * bits);
  order.resize(bodies.size() + 1);
  parallel_for(bodies.size(), [&](std::size_t k) { order[k] = places_[k].number; });
  order.back() = static_cast<int>(bodies.size());  // the world at rest
}

template class BodyOrder<2>;
template class BodyOrder<3>;

}  // namespace talus
