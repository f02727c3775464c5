// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/number_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "io/text/finite_number.hpp"

namespace talus {

namespace {

template <class Accepts>
CLI::Validator accepting(std::string expected, const Accepts& accepts) {
  return CLI::Validator(
      [expected = std::move(expected), accepts](const std::string& word) {
        return accepts(word) ? std::string() : fmt::format("'{}' is not {}", word, expected);
      },
      "");
}

}  // namespace

CLI::Validator any_finite_number() {
  return accepting("a finite number",
                   [](const std::string& word) { return finite_number(word).has_value(); });
}

CLI::Validator positive_number(double highest) {
  return accepting(std::isfinite(highest) ? fmt::format("a positive number up to {}", highest)
                                          : "a positive number",
                   [highest](const std::string& word) {
                     const std::optional<double> x = finite_number(word);
                     return x && *x > 0 && *x <= highest;
                   });
}

CLI::Validator whole_number(int lowest, int highest) {
  return accepting(highest < std::numeric_limits<int>::max()
                       ? fmt::format("a whole number from {} to {}", lowest, highest)
                       : fmt::format("a whole number from {} on", lowest),
                   [=](const std::string& word) {
                     int n = 0;
                     const char* const end = word.data() + word.size();
                     const auto [stop, failure] = std::from_chars(word.data(), end, n);
                     return failure == std::errc() && stop == end && n >= lowest && n <= highest;
                   });
}

}  // namespace talus
