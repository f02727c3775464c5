// SPDX-License-Identifier: Apache-2.0
#include "io/scene/file_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/scene/scene_error.hpp"
#include "io/text/finite_number.hpp"

namespace talus {

namespace {

constexpr std::string_view all_blanks = " \t\r\n\v\f", blanks_in_line = " \t\r\v\f";

}  // namespace

std::string_view FileWords::next() {
  skip(all_blanks);
  return take();
}

std::string_view FileWords::next_in_line() {
  skip(blanks_in_line);
  return rest_.empty() || rest_.front() == '\n' ? std::string_view() : take();
}

void FileWords::skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

bool FileWords::at_end() {
  skip(all_blanks);
  return rest_.empty();
}

double FileWords::number(std::string_view word, std::string_view what) const {
  const std::optional<double> value = finite_number(word);
  if (!value) fail(fmt::format("{} is not a finite number", what));
  return *value;
}

void FileWords::fail(std::string_view what) const { throw SceneError({name_, line_}, {}, what); }

void FileWords::fail_whole(std::string_view what) const { throw SceneError({name_}, {}, what); }

void FileWords::skip(std::string_view blanks) {
  const std::size_t n = std::min(rest_.find_first_not_of(blanks), rest_.size());
  const std::string_view skipped = rest_.substr(0, n);
  line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
  rest_.remove_prefix(n);
}

std::string_view FileWords::take() {
  const std::size_t n = std::min(rest_.find_first_of(all_blanks), rest_.size());
  const std::string_view word = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return word;
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace talus
