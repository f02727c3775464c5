// SPDX-License-Identifier: Apache-2.0
// The load at which bodies give way in runs, with Coulomb's law and not the associated one.
#pragma once

#include <functional>
#include <optional>

#include "tools/commands/limit_load.hpp"

namespace talus {

struct LimitRunOptions {
  double within = 0.01;           // width of the interval, relative to λ_static
  std::optional<double> seconds;  // of each run; default: 10 √(size/‖g‖), see below
};

struct LimitRuns {
  double stood = 0;          // the largest multiplier under which the bodies stood
  double gave_way = 0;       // the least under which they did not; at most λ_static
  bool falls_alone = false;  // they give way under the dead load, λ = 0
  int runs = 0;
  double seconds = 0;
};

// Bisects λ in [0, λ_static]. Each run begins at rest in the configuration of `world`, with the
// load applied at once and held, and drives stopped. Bodies give way when one of them is displaced
// by more than 1 % of its size: by default within a time in which an acceleration of 2·10⁻⁴ ‖g‖
// does that. `told` hears of every run.
template <int D>
LimitRuns bisect_runs(const World<D>& world, const LiveLoad<D>& live, double lambda_static,
                      const LimitRunOptions& options,
                      const std::function<void(double multiplier, bool stands)>& told);

}  // namespace talus
