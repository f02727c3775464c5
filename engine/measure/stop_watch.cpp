// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/stop_watch.hpp"

#include <algorithm>

#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// An upper bound for the speed of any point of a free body [m/s]: ‖v‖ + ‖ω‖ r with its bounding
// radius r about the mass centre.
template <int D>
double fastest_point(const Bodies<D>& bodies) {
  struct Fastest {
    double speed = 0;
    void operator+=(const Fastest& other) { speed = maximum(speed, other.speed); }
  };
  return parallel_total<Fastest>(
             bodies.size(),
             [&](std::size_t first, std::size_t last) {
               Fastest part;
               for (std::size_t i = first; i < last; ++i)
                 if (bodies.moves_freely(i))
                   part += Fastest{bodies.velocity[i].norm() +
                                   bodies.spin[i].norm() * bodies.geometry_of(i).bounding_radius};
               return part;
             })
      .speed;
}

}  // namespace

template <int D>
void StopWatch<D>::look(std::span<const StopCondition> conditions, const Bodies<D>& bodies,
                        bool grains_left, Readings readings) {
  met_.reset();
  std::optional<double> speed;
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    bool holds = false;
    if (const auto* rest = std::get_if<Rest>(&conditions[k])) {
      if (!speed) speed = fastest_point<D>(bodies);
      const bool at_rest = !grains_left && *speed < rest->speed;
      steps_at_rest_[k] = at_rest ? steps_at_rest_[k] + 1 : 0;
      holds = steps_at_rest_[k] >= rest->steps;
    } else {
      const auto& threshold = std::get<Threshold>(conditions[k]);
      const double x = readings[static_cast<std::size_t>(threshold.measure)]
                               [static_cast<std::size_t>(threshold.column)];
      holds = threshold.above ? x > threshold.limit : x < threshold.limit;
    }
    if (holds && !met_) met_ = k;
  }
}

template class StopWatch<2>;
template class StopWatch<3>;

}  // namespace talus
