// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace talus;

TEST_CASE("quantiles of Student's distribution are those of the printed tables") {
  // Any table of the t distribution, to its last digit.
  CHECK(student_quantile(0.975, 1) == doctest::Approx(12.706).epsilon(1e-4));
  CHECK(student_quantile(0.975, 2) == doctest::Approx(4.303).epsilon(1e-4));
  CHECK(student_quantile(0.975, 4) == doctest::Approx(2.776).epsilon(2e-4));
  CHECK(student_quantile(0.975, 19) == doctest::Approx(2.093).epsilon(2e-4));
  CHECK(student_quantile(0.95, 9) == doctest::Approx(1.833).epsilon(2e-4));
  CHECK(student_quantile(0.995, 30) == doctest::Approx(2.750).epsilon(2e-4));
  CHECK(student_quantile(0.975, 100'000) == doctest::Approx(1.95999).epsilon(1e-4));
  CHECK(student_quantile(0.025, 4) == -student_quantile(0.975, 4));
  CHECK(student_quantile(0.5, 7) == doctest::Approx(0).epsilon(1e-9));
  for (const double p : {0.6, 0.9, 0.999})  // ν = 1 is Cauchy's
    CHECK(student_quantile(p, 1) == doctest::Approx(std::tan(M_PI * (p - 0.5))).epsilon(1e-9));
}

TEST_CASE("the interval of a mean, by hand") {
  const std::vector<double> values = {1, 2, 3, std::numeric_limits<double>::quiet_NaN(), 4};
  const MeanInterval interval = mean_interval(values);
  CHECK(interval.count == 4);
  CHECK(interval.mean == 2.5);
  CHECK(interval.deviation == doctest::Approx(std::sqrt(5.0 / 3)));
  CHECK(interval.half_width == doctest::Approx(3.182446 * std::sqrt(5.0 / 12)).epsilon(1e-6));

  const MeanInterval of_one = mean_interval(std::vector<double>{7});
  CHECK(of_one.mean == 7);
  CHECK(std::isnan(of_one.half_width));
  CHECK(std::isnan(mean_interval({}).mean));
}

TEST_CASE("of many samples of five, 95 % have the true mean in their interval") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(3, 2);
  constexpr int samples = 20'000;
  int held = 0;
  for (int k = 0; k < samples; ++k) {
    std::vector<double> values(5);
    for (double& x : values) x = normal(random);
    const MeanInterval interval = mean_interval(values);
    held += std::abs(interval.mean - 3) <= interval.half_width;
  }
  CHECK(held / double(samples) == doctest::Approx(0.95).epsilon(0.006));  // 3.6 deviations
}
