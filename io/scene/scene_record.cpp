// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_record.hpp"

#include <algorithm>
#include <optional>

#include "io/scene/scene_error.hpp"
#include "io/text/finite_number.hpp"

namespace talus {

namespace {

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t,\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

Table parse_record(std::string_view text, const std::string& name) {
  Table table;
  int line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++line_number;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    std::string_view columns = line.substr(0, line.find('#'));
    const auto fail = [&](std::string_view word, std::string_view what) {
      const int column = word.empty() ? 0 : static_cast<int>(word.data() - line.data()) + 1;
      throw SceneError({name, line_number, column}, {}, what);
    };

    const std::string_view first = next_word(columns);
    if (first.empty()) continue;
    const std::string_view second = next_word(columns);
    const std::string_view third = next_word(columns);
    if (second.empty()) fail(first, "one column, expected two: time and value");
    if (!third.empty()) fail(third, "a third column, expected two: time and value");
    const std::optional<double> time = finite_number(first), value = finite_number(second);
    if (!time) fail(first, "not a finite number");
    if (!value) fail(second, "not a finite number");
    if (!table.time.empty() && *time <= table.time.back()) {
      fail(first, "its time does not come after that of the row before");
    }
    table.time.push_back(*time);
    table.value.push_back(*value);
  }
  if (table.time.empty()) throw SceneError({name}, {}, "holds no numbers");
  return table;
}

}  // namespace talus
