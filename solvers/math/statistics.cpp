// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/statistics.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {

namespace {

// P(0 ≤ T ≤ t). With x = √ν tan φ the density c (1 + x²/ν)^(−(ν+1)/2) dx becomes
// c √ν cos(φ)^(ν−1) dφ, which Simpson's rule integrates well.
double student_half_cdf(double t, int nu) {
  const double half = 0.5 * nu;
  const double factor =
      std::exp(std::lgamma(half + 0.5) - std::lgamma(half)) / std::sqrt(std::numbers::pi);
  const double end = std::atan(t / std::sqrt(static_cast<double>(nu)));
  constexpr int pieces = 400;
  double sum = 0;
  for (int k = 0; k <= pieces; ++k) {
    const double weight = k == 0 || k == pieces ? 1 : (k % 2 == 1 ? 4 : 2);
    sum += weight * std::pow(std::cos(end * k / pieces), nu - 1);
  }
  return factor * sum * end / (3 * pieces);
}

}  // namespace

double student_quantile(double p, int degrees_of_freedom) {
  assert(p > 0 && p < 1 && degrees_of_freedom >= 1);
  if (p < 0.5) return -student_quantile(1 - p, degrees_of_freedom);
  double low = 0, high = 1;
  while (student_half_cdf(high, degrees_of_freedom) < p - 0.5) high *= 2;
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (student_half_cdf(middle, degrees_of_freedom) < p - 0.5 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

MeanInterval mean_interval(std::span<const double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  MeanInterval result;
  double sum = 0, squares = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    ++result.count;
    sum += x;
  }
  const double n = static_cast<double>(result.count);
  result.mean = result.count > 0 ? sum / n : none;
  if (result.count < 2) {
    result.deviation = result.half_width = none;
    return result;
  }
  for (const double x : values)
    if (std::isfinite(x)) squares += (x - result.mean) * (x - result.mean);
  result.deviation = std::sqrt(squares / (n - 1));
  result.half_width =
      student_quantile(0.975, static_cast<int>(result.count) - 1) * result.deviation / std::sqrt(n);
  return result;
}

}  // namespace talus
