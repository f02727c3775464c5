#include "io/scene_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/printable.hpp"

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

// The line and a caret under one of its characters; of a long line the part around it.
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
  // Of scenes and studies only: any other file may have been named by mistake, or by someone else.
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
    : InputError(message(place, source, what)) {}

// Optimal string alignment: three rows of the table of distances between prefixes.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace talus
