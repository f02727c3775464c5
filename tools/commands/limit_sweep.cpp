// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/limit_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "io/text/finite_number.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/csv.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

constexpr std::size_t most_cases = 100'000;

// Parts between separators that stand in no brackets and no quotes.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

}  // namespace

SweptKey parse_swept_key(const std::string& text) {
  const auto refuse = [&] {
    throw InputError(
        fmt::format("--sweep {}: expected KEY=FROM:TO:COUNT or KEY=VALUE,VALUE,…, as in "
                    "arch.0.thickness=0.1:0.3:5",
                    text));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse();
  SweptKey swept{text.substr(0, equals), {}};
  const std::string_view list = std::string_view(text).substr(equals + 1);
  const std::vector<std::string> range = split(list, ':');
  if (range.size() == 1) {
    swept.values = split(list, ',');
    for (const std::string& value : swept.values)
      if (value.find_first_not_of(' ') == std::string::npos) refuse();
    return swept;
  }
  if (range.size() != 3) refuse();
  const std::optional<double> from = finite_number(range[0]), to = finite_number(range[1]),
                              count = finite_number(range[2]);
  const bool counts = count && *count >= 2 && *count <= static_cast<double>(most_cases) &&
                      *count == std::floor(*count);
  if (!from || !to || !counts) refuse();
  const int n = static_cast<int>(*count);
  for (int k = 0; k < n; ++k)
    swept.values.push_back(fmt::format("{}", *from + k * ((*to - *from) / (n - 1))));
  return swept;
}

std::size_t combinations(const std::vector<SweptKey>& keys) {
  std::size_t count = 1;
  for (const SweptKey& key : keys) {
    count *= key.values.size();
    if (count > most_cases)
      throw InputError(fmt::format("--sweep: more than {} combinations", most_cases));
  }
  return count;
}

std::vector<std::string> combination(const std::vector<SweptKey>& keys, std::size_t k) {
  std::vector<std::string> values(keys.size());
  for (std::size_t i = keys.size(); i-- > 0;) {
    values[i] = keys[i].values[k % keys[i].values.size()];
    k /= keys[i].values.size();
  }
  return values;
}

std::string SweepTable::csv() const {
  std::string text;
  for (const SweptKey& key : keys) text += csv_text(key.key) + ",";
  text += fmt::format("outcome,{},dual{}\n", quantity, runs ? ",stood,gave_way" : "");
  for (const SweptLimit& row : rows) {
    for (const std::string& value : row.values) text += csv_text(value) + ",";
    text += fmt::format("{},{},{}", row.outcome, csv_number(row.largest), csv_number(row.dual));
    if (runs) text += fmt::format(",{},{}", csv_number(row.stood), csv_number(row.gave_way));
    text += "\n";
  }
  return text;
}

std::string SweepTable::json() const {
  std::vector<std::string> items;
  for (const SweptLimit& row : rows) {
    JsonObject set;
    for (std::size_t i = 0; i < keys.size(); ++i) set.add(keys[i].key, row.values[i]);
    items.push_back(JsonObject().raw("set", set.text()).raw("limit", row.json).text());
  }
  return JsonObject().raw("sweep", fmt::format("[{}]", fmt::join(items, ", "))).text();
}

void print_row(std::FILE* out, const SweepTable& table, std::size_t number) {
  const auto cell = [](double x) {
    return std::isnan(x) ? std::string("-") : fmt::format("{:.9g}", x);
  };
  if (number == 0) {
    for (const SweptKey& key : table.keys) fmt::print(out, "{:<24} ", key.key);
    fmt::print(out, "{:<16} {:<16}{}\n", "outcome", table.quantity,
               table.runs ? " stood            gave way" : "");
  }
  const SweptLimit& row = table.rows[number];
  for (const std::string& value : row.values) fmt::print(out, "{:<24} ", value);
  fmt::print(out, "{:<16} {:<16}", row.outcome, cell(row.largest));
  if (table.runs) fmt::print(out, " {:<16} {}", cell(row.stood), cell(row.gave_way));
  fmt::print(out, "\n");
}

}  // namespace talus
