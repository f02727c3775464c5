// SPDX-License-Identifier: Apache-2.0
// A vector in a line of text: [1, 2, 3], or the number itself where there is one component.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

// Components up to `least` are rounding, and written as 0.
template <int V>
std::string vector_text(const Vec<V>& x, double least) {
  std::vector<std::string> items;
  for (const double value : x)
    items.push_back(fmt::format("{:.6g}", std::abs(value) > least ? value : 0.0));
  return V == 1 ? items.front() : fmt::format("[{}]", fmt::join(items, ", "));
}

}  // namespace talus
