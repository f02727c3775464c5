// SPDX-License-Identifier: Apache-2.0
// Grains and mass that have passed through a plane, counted step by step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/measure.hpp"

namespace talus {

template <int D>
class Outflow {
 public:
  // Records the side of every grain, before the first step or after a restart from a checkpoint.
  void start(const PlaneMeasure<D>& plane, const Bodies<D>& bodies);

  // After every step: counts the grains that have changed sides.
  void count(const PlaneMeasure<D>& plane, const Bodies<D>& bodies);

  // Grains and mass that have passed since the start, and both per second since the last row.
  void measure(double duration, std::span<double> row);

  // The state beside the positions of the bodies.
  struct Memory {
    double grains = 0, mass = 0;                    // passed since the start
    double grains_last_row = 0, mass_last_row = 0;  // passed up to the last row
  };
  const Memory& memory() const { return memory_; }
  void recall(const Memory& memory) { memory_ = memory; }

 private:
  enum class Side : char { before, beyond, absent };
  static Side side(const PlaneMeasure<D>& plane, const Bodies<D>& bodies, std::size_t i);

  Memory memory_;
  std::vector<Side> side_;
};

}  // namespace talus
