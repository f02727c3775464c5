// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/thinned.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus {

std::vector<double> thinned(const std::vector<double>& values, std::size_t most) {
  if (values.size() <= most) return values;
  // NaN is neither, unless there is nothing else.
  const auto less = [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
  const auto more = [](double a, double b) { return a > b || (std::isnan(b) && !std::isnan(a)); };
  const std::size_t buckets = most / 2;
  std::vector<double> kept;
  for (std::size_t k = 0; k < buckets; ++k) {
    const auto place = [&](std::size_t bucket) {
      return values.begin() + static_cast<std::ptrdiff_t>(bucket * values.size() / buckets);
    };
    const auto low = std::min_element(place(k), place(k + 1), less);
    const auto high = std::min_element(place(k), place(k + 1), more);
    kept.push_back(*std::min(low, high));
    kept.push_back(*std::max(low, high));
  }
  return kept;
}

}  // namespace talus
