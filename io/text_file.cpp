#include "io/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "io/finite_number.hpp"
#include "io/missing_file.hpp"
#include "io/regular_file.hpp"
#include "io/scene_error.hpp"

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

std::string read_text_file(const std::filesystem::path& path) {
  require_regular_file(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    throw InputError(fmt::format("{}: cannot open: {}{}", path.string(), std::strerror(reason),
                                 reason == ENOENT ? meant_instead(path) : ""));
  }
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_text_bytes) {
      throw InputError(fmt::format("{}: is larger than {} MB, the most that is read as text",
                                   path.string(), max_text_bytes >> 20));
    }
  }
  if (file.bad()) throw InputError(fmt::format("{}: cannot read", path.string()));
  return text;
}

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
