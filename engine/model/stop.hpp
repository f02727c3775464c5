// SPDX-License-Identifier: Apache-2.0
// Conditions that end a run before its time.
#pragma once

#include <string>
#include <variant>

namespace talus {

// No point of a free body has been faster than `speed` for a number of steps. Bodies that turn
// count with the speed of their bounding ball. A run is not at rest while an emitter has grains
// left.
struct Rest {
  double speed = 0;  // [m/s]
  int steps = 20;
};

// The last row of a measure is above (or below) a limit. NaN is neither.
struct Threshold {
  std::string of;  // "measure.column"
  int measure = -1, column = -1;
  double limit = 0;
  bool above = true;
};

using StopCondition = std::variant<Rest, Threshold>;

}  // namespace talus
