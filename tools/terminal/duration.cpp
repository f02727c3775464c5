// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/duration.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

namespace talus {

double parse_duration(std::string_view text, const std::string& option) {
  const auto refuse = [&] {
    return CLI::ValidationError(
        option, fmt::format("'{}' is no time span: write 90, 90s, 30m or 11h50m", text));
  };
  double seconds = 0;
  double longer = 0;  // the previous unit; the next must be smaller
  for (std::string_view rest = text; !rest.empty();) {
    double number = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (failure != std::errc() || !(number >= 0) || !std::isfinite(number)) throw refuse();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const char letter = rest.empty() ? 's' : rest.front();
    const double unit = letter == 'd'   ? 86400
                        : letter == 'h' ? 3600
                        : letter == 'm' ? 60
                        : letter == 's' ? 1
                                        : 0;
    if (unit == 0 || (longer > 0 && unit >= longer)) throw refuse();
    if (!rest.empty()) rest.remove_prefix(1);
    seconds += number * unit;
    longer = unit;
  }
  if (!(seconds > 0)) throw refuse();
  return seconds;
}

}  // namespace talus
