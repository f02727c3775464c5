// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/limit_runs.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr double displaced = 0.01;  // of the size of a body

template <int D>
WorldState<D> state_at_rest(const World<D>& world) {
  WorldState<D> state = world.state();
  for (Vec<D>& v : state.velocity) v.setZero();
  for (Spin<D>& omega : state.spin) omega.setZero();
  return state;
}

// The load beside the dead load: λ times the live one, or what turns gravity by atan λ.
template <int D>
void apply(const LiveLoad<D>& live, double multiplier, World<D>& world) {
  for (const int i : live.bodies) {
    BodyLoad<D> load = live.load[at(i)];
    if (live.question == Question::tilt) {
      const double angle = std::atan(multiplier);
      const Vec<D> weight = world.bodies().mass[at(i)] * world.scene().gravity;
      load.force = (std::cos(angle) - 1) * weight + std::sin(angle) * load.force;
    } else {
      load.force *= multiplier;
      load.torque *= multiplier;
    }
    world.set_load(i, load.force, load.torque);
  }
}

template <int D>
bool stands(const World<D>& start, const LiveLoad<D>& live, double multiplier, double seconds) {
  World<D> world(start.scene());
  world.restore(state_at_rest<D>(start));
  const Bodies<D>& bodies = world.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0 && !description<D>(world.scene(), at(bodies.id[i])).drives.empty())
      world.set_drive(static_cast<int>(i), Vec<D>::Zero(), Spin<D>::Zero());
  apply<D>(live, multiplier, world);
  const auto steps = static_cast<std::int64_t>(std::ceil(seconds / world.scene().h));
  for (std::int64_t k = 0; k < steps; ++k) {
    world.step();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies.moves_freely(i) && (bodies.position[i] - start.bodies().position[i]).norm() >
                                        displaced * bodies.geometry_of(i).size)
        return false;
  }
  return true;
}

// 10 √(size/‖g‖) of the largest body that moves.
template <int D>
double usual_seconds(const World<D>& world) {
  double size = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    if (world.bodies().moves_freely(i)) size = std::max(size, world.bodies().geometry_of(i).size);
  const double gravity = world.scene().gravity.norm();
  return 10 * std::sqrt(size / (gravity > 0 ? gravity : 1));
}

}  // namespace

template <int D>
LimitRuns bisect_runs(const World<D>& world, const LiveLoad<D>& live, double lambda_static,
                      const LimitRunOptions& options,
                      const std::function<void(double multiplier, bool stands)>& told) {
  LimitRuns found;
  found.seconds = options.seconds ? *options.seconds : usual_seconds<D>(world);
  found.gave_way = lambda_static;
  const auto try_at = [&](double multiplier) {
    const bool stood = stands<D>(world, live, multiplier, found.seconds);
    ++found.runs;
    told(multiplier, stood);
    (stood ? found.stood : found.gave_way) = multiplier;
    return stood;
  };
  if (!try_at(0)) {
    found.falls_alone = true;
    return found;
  }
  const double width = options.within * lambda_static;
  if (try_at(lambda_static - width)) return found;
  while (found.gave_way - found.stood > width) try_at(0.5 * (found.stood + found.gave_way));
  return found;
}

template LimitRuns bisect_runs<2>(const World<2>&, const LiveLoad<2>&, double,
                                  const LimitRunOptions&, const std::function<void(double, bool)>&);
template LimitRuns bisect_runs<3>(const World<3>&, const LiveLoad<3>&, double,
                                  const LimitRunOptions&, const std::function<void(double, bool)>&);

}  // namespace talus
