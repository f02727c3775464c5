// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/text/printable.hpp"

namespace talus {

namespace {

std::string_view line_of(std::string_view source, int line) {
  for (int skipped = 1; skipped < line; ++skipped) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  if (!source.empty() && source.back() == '\r') source.remove_suffix(1);
  return source;
}

// The source line with a caret below one character; for a long line, the part around it.
std::string quoted(std::string_view source_line, int line_number, int column) {
  const std::string line = printable(source_line);
  constexpr int shown = 100;  // characters
  const auto length = std::count_if(line.begin(), line.end(), starts_character);
  const int first = length > shown && column > shown / 2 ? column - shown / 2 : 1;
  std::string text;
  int character = 0;
  for (const char c : line) {
    if (starts_character(c)) ++character;
    if (character >= first && character < first + shown) text += c;
  }
  std::string block = fmt::format("\n{:>5} | {}", line_number, text);
  if (column > 0) block += fmt::format("\n      | {:>{}}", '^', column - first + 1);
  return block;
}

std::string message(const Place& place, std::string_view source, std::string_view what) {
  std::string text = printable(fmt::format("{}: {}", place.text(), what));
  // Quote lines of scenes and studies only. Another file may have been named by mistake, or by
  // somebody else.
  const bool is_scene = std::filesystem::path(place.file).extension() == ".toml";
  const std::string_view line =
      is_scene && place.line > 0 ? line_of(source, place.line) : std::string_view();
  if (!line.empty()) text += quoted(line, place.line, place.column);
  return text;
}

}  // namespace

std::string Place::text() const {
  if (line == 0) return file;
  if (column == 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

SceneError::SceneError(const Place& place, std::string_view source, std::string_view what)
    : InputError(message(place, source, what)), place_(place), description_(printable(what)) {}

}  // namespace talus
