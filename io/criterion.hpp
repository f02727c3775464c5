// What a run is judged by: a claim, a limit, and the worst value that was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace talus {

struct Criterion {
  std::string name;   // a word
  std::string claim;  // what must hold
  double limit = 0;   // on the worst value
  double worst = 0;
  std::int64_t checked = 0;  // how many steps, or frames, it was tried on
  std::int64_t violations = 0;
  std::optional<std::int64_t> first_bad_step = {};
  std::string unit = {};     // of the values; empty when they are ratios
  std::string skipped = {};  // why it was tried on nothing, if so

  bool passed() const { return violations == 0; }

  // Takes down a value of a step. One that is not a number breaks every limit and stays the worst.
  void judge(double value, std::int64_t step) { judge(value, step, !(value <= limit)); }
  void judge(double value, std::int64_t step, bool broken);
};

// part / whole, where nothing out of nothing is fine and something out of nothing is not.
double ratio(double part, double whole);

}  // namespace talus
