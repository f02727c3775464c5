// SPDX-License-Identifier: Apache-2.0
// Confidence intervals of a mean, for repetitions of a run.
#pragma once

#include <cstddef>
#include <span>

namespace talus {

// t with P(T ≤ t) = p for Student's distribution with ν ≥ 1 degrees of freedom; p in (0, 1).
double student_quantile(double p, int degrees_of_freedom);

// The mean of a sample and where the mean of its distribution lies with a confidence of 95 %:
//     mean ± t(0.975, n − 1) s/√n,   s² = Σ (x − mean)²/(n − 1)
// for values that are independent and nearly normal. With fewer than two values the half width is
// NaN. Values that are not finite are left out.
struct MeanInterval {
  std::size_t count = 0;
  double mean = 0, deviation = 0;  // s
  double half_width = 0;
};
MeanInterval mean_interval(std::span<const double> values);

}  // namespace talus
