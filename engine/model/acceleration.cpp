// SPDX-License-Identifier: Apache-2.0
#include "engine/model/acceleration.hpp"

#include <cstddef>
#include <utility>

namespace talus {

namespace {

// ∫ x dt up to each time, for x linear in between.
std::vector<double> integral(const std::vector<double>& time, const std::vector<double>& x) {
  std::vector<double> sum(x.size(), 0.0);
  for (std::size_t k = 1; k < x.size(); ++k)
    sum[k] = sum[k - 1] + (time[k] - time[k - 1]) / 2 * (x[k - 1] + x[k]);
  return sum;
}

}  // namespace

// Taken off are c₀ τ + c₁ τ²/2, τ the time since the start: with v = 0 and ∫ v = 0 at the end two
// linear equations for c₀ and c₁.
Table velocity_of_acceleration(Table acceleration, Baseline baseline) {
  const std::vector<double>& time = acceleration.time;
  std::vector<double> v = integral(time, acceleration.value);
  if (time.size() > 1 && baseline != Baseline::none) {
    std::vector<double> half_square;  // τ²/2
    for (const double t : time) half_square.push_back((t - time[0]) * (t - time[0]) / 2);
    const double T = time.back() - time.front();
    double c0 = v.back() / T, c1 = 0;
    if (baseline == Baseline::linear && time.size() > 2) {
      const double moved = integral(time, v).back(), curved = integral(time, half_square).back();
      // c₀ T + c₁ T²/2 = v,  c₀ T²/2 + c₁ ∫τ²/2 = ∫v
      c1 = (moved - v.back() * T / 2) / (curved - T * T * T / 4);
      c0 -= c1 * T / 2;
    }
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] -= c0 * (time[k] - time[0]) + c1 * half_square[k];
    v.back() = 0;
  }
  acceleration.value = std::move(v);
  return acceleration;
}

}  // namespace talus
