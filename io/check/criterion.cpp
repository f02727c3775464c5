// SPDX-License-Identifier: Apache-2.0
#include "io/check/criterion.hpp"

#include <limits>

#include "solvers/math/maximum.hpp"

namespace talus {

void Criterion::judge(double value, std::int64_t step, bool broken) {
  ++checked;
  worst = maximum(worst, value);
  if (!broken) return;
  ++violations;
  if (!first_bad_step || step < *first_bad_step) first_bad_step = step;
}

double ratio(double part, double whole) {
  if (part == 0) return 0;
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

}  // namespace talus
