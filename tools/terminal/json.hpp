// SPDX-License-Identifier: Apache-2.0
// One JSON object on one line, for `--json`.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

std::string json_string(std::string_view text);  // quoted and escaped
std::string json_list(const std::vector<std::string>& texts);

class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value) {
    return raw(key, json_string(value));
  }
  JsonObject& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  JsonObject& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  JsonObject& add(std::string_view key, std::integral auto value) {
    return raw(key, fmt::format("{}", value));
  }
  // NaN and infinity, which JSON does not have, become null.
  JsonObject& add(std::string_view key, double value) {
    return raw(key, std::isfinite(value) ? fmt::format("{}", value) : "null");
  }
  JsonObject& raw(std::string_view key, std::string_view json) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", json_string(key), json);
    return *this;
  }

  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace talus
