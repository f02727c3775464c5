// SPDX-License-Identifier: Apache-2.0
#include "io/scene/toml_depth.hpp"

#include <algorithm>
#include <string>

namespace talus {

namespace {

// Position after the string that begins at `begin`, or the end of the line if it is not closed
// there.
std::size_t end_of_string(std::string_view toml, std::size_t begin) {
  const char quote = toml[begin];
  const bool several_lines = toml.substr(begin, 3) == std::string(3, quote);
  const std::string_view mark = toml.substr(begin, several_lines ? 3 : 1);
  for (std::size_t i = begin + mark.size(); i < toml.size(); ++i) {
    if (toml[i] == '\\' && quote == '"')
      ++i;
    else if (toml.substr(i, mark.size()) == mark)
      return i + mark.size();
    else if (toml[i] == '\n' && !several_lines)
      return i;
  }
  return toml.size();
}

}  // namespace

int line_of_too_deep_key(std::string_view toml) {
  int line = 1, dots = 0;  // dots since the last character that cannot be in a key
  for (std::size_t i = 0; i < toml.size();) {
    const char c = toml[i];
    std::size_t next = i + 1;
    if (c == '"' || c == '\'') {
      next = end_of_string(toml, i);
      line += static_cast<int>(std::count(toml.begin() + i, toml.begin() + next, '\n'));
    } else if (c == '#') {
      next = std::min(toml.find('\n', i), toml.size());
    } else if (c == '.') {
      if (++dots == max_key_parts) return line;
    } else if (c == '\n' || std::string_view("=,[]{}").find(c) != std::string_view::npos) {
      dots = 0;
      line += c == '\n';
    }
    i = next;
  }
  return 0;
}

}  // namespace talus
