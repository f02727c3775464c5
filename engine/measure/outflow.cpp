// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/outflow.hpp"

#include "solvers/math/parallel.hpp"

namespace talus {

template <int D>
auto Outflow<D>::side(const PlaneMeasure<D>& plane, const Bodies<D>& bodies, std::size_t i)
    -> Side {
  if (!bodies.moves_freely(i)) return Side::absent;
  return plane.normal.dot(bodies.position[i] - plane.point) > 0 ? Side::beyond : Side::before;
}

template <int D>
void Outflow<D>::start(const PlaneMeasure<D>& plane, const Bodies<D>& bodies) {
  side_.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) { side_[i] = side(plane, bodies, i); });
}

// A grain that was created or removed has not passed through the plane.
template <int D>
void Outflow<D>::count(const PlaneMeasure<D>& plane, const Bodies<D>& bodies) {
  side_.resize(bodies.size(), Side::absent);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Side now = side(plane, bodies, i), last = side_[i];
    side_[i] = now;
    if (now == last || now == Side::absent || last == Side::absent) continue;
    const double sign = now == Side::beyond ? 1 : -1;
    memory_.grains += sign;
    memory_.mass += sign * bodies.mass[i];
  }
}

template <int D>
void Outflow<D>::measure(double duration, std::span<double> row) {
  row[0] = memory_.grains;
  row[1] = memory_.mass;
  row[2] = (memory_.grains - memory_.grains_last_row) / duration;
  row[3] = (memory_.mass - memory_.mass_last_row) / duration;
  memory_.grains_last_row = memory_.grains;
  memory_.mass_last_row = memory_.mass;
}

template class Outflow<2>;
template class Outflow<3>;

}  // namespace talus
