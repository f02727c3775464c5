// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/stop_reason.hpp"

#include <fmt/format.h>

#include "tools/terminal/counted.hpp"

namespace talus {

template <int D>
std::string stop_reason(const World<D>& world) {
  if (!world.stopped()) return {};
  const StopCondition& condition = world.scene().stops[*world.stopped()];
  if (const auto* rest = std::get_if<Rest>(&condition))
    return fmt::format("at rest: no body has been faster than {:g} m/s for {}", rest->speed,
                       counted(rest->steps, "step"));
  const auto& threshold = std::get<Threshold>(condition);
  const double x = world.measures().row(
      static_cast<std::size_t>(threshold.measure))[static_cast<std::size_t>(threshold.column)];
  return fmt::format("{} = {:g} is {} {:g}", threshold.of, x, threshold.above ? "above" : "below",
                     threshold.limit);
}

template std::string stop_reason<2>(const World<2>&);
template std::string stop_reason<3>(const World<3>&);

}  // namespace talus
