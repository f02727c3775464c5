// SPDX-License-Identifier: Apache-2.0
// A criterion of `talus check`: a claim, a limit, and the worst value found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace talus {

struct Criterion {
  std::string name;   // one word
  std::string claim;  // the condition in words
  double limit = 0;   // on the worst value
  double worst = 0;
  std::int64_t checked = 0;  // number of steps or frames checked
  std::int64_t violations = 0;
  std::optional<std::int64_t> first_bad_step = {};
  std::string unit = {};     // of the values; empty when they are ratios
  std::string skipped = {};  // why nothing was checked; empty otherwise

  bool passed() const { return violations == 0; }

  // Records a value of a step. NaN violates every limit and remains the worst value.
  void judge(double value, std::int64_t step) { judge(value, step, !(value <= limit)); }
  void judge(double value, std::int64_t step, bool broken);
};

// part / whole; 0/0 is 0, and x/0 is infinite.
double ratio(double part, double whole);

}  // namespace talus
