// SPDX-License-Identifier: Apache-2.0
#include "io/text/finite_number.hpp"

#include <charconv>
#include <cmath>

namespace talus {

std::optional<double> finite_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double x = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), x);
  const bool whole_word = failure == std::errc() && end == word.data() + word.size();
  return whole_word && std::isfinite(x) ? std::optional(x) : std::nullopt;
}

}  // namespace talus
