// SPDX-License-Identifier: Apache-2.0
// Decides after every step whether a stop condition of the scene holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/signal.hpp"
#include "engine/model/stop.hpp"

namespace talus {

template <int D>
class StopWatch {
 public:
  explicit StopWatch(std::span<const StopCondition> conditions)
      : steps_at_rest_(conditions.size()) {}

  // After a step, with the last rows of the measures. `grains_left`: grains are still to come.
  void look(std::span<const StopCondition> conditions, const Bodies<D>& bodies, bool grains_left,
            Readings readings);

  // The first condition that held at the last look.
  std::optional<std::size_t> met() const { return met_; }

  // Steps for which each condition has found the bodies at rest.
  const std::vector<std::int64_t>& state() const { return steps_at_rest_; }
  void restore(const std::vector<std::int64_t>& state) {
    steps_at_rest_ = state;
    met_.reset();
  }

 private:
  std::vector<std::int64_t> steps_at_rest_;  // one per condition; unused for thresholds
  std::optional<std::size_t> met_;
};

}  // namespace talus
