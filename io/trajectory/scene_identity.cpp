// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/scene_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/scene/scene_source.hpp"
#include "io/text/digest.hpp"
#include "io/text/text_file.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

namespace {

using Values = std::map<std::string, std::string>;

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

std::string below(const std::string& key, std::string_view next) {
  const std::string part = is_bare_key(next) ? std::string(next) : fmt::format("\"{}\"", next);
  return key.empty() ? part : fmt::format("{}.{}", key, part);
}

// 1, 1.0 and 1e0 are one number.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return fmt::format("\"{}\"", text->get());
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* array = node.as_array()) {
    std::string text;
    for (const toml::node& element : *array) text += (text.empty() ? "" : ", ") + text_of(element);
    return "[" + text + "]";
  }
  std::ostringstream date;
  if (const auto* day = node.as_date()) date << day->get();
  if (const auto* time = node.as_time()) date << time->get();
  if (const auto* moment = node.as_date_time()) date << moment->get();
  return date.str();
}

bool has_tables(const toml::array& array) {
  return std::any_of(array.begin(), array.end(), [](const toml::node& element) {
    return element.is_table() || (element.is_array() && has_tables(*element.as_array()));
  });
}

void flatten(const toml::node& node, const std::string& key, Values& values) {
  if (const toml::table* const table = node.as_table()) {
    if (table->empty()) values[key] = "{}";
    for (const auto& [name, value] : *table) flatten(value, below(key, name.str()), values);
  } else if (const toml::array* const array = node.as_array(); array && has_tables(*array)) {
    for (std::size_t i = 0; i < array->size(); ++i)
      flatten((*array)[i], below(key, fmt::format("{}", i)), values);
  } else {
    values[key] = text_of(node);
  }
}

std::string shortened(const std::string& value) {
  constexpr std::size_t longest = 60;
  if (value.size() <= longest) return value;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return value.substr(0, end) + " …";
}

}  // namespace

std::uint64_t SceneIdentity::hash() const {
  Digest digest;
  for (const Values* list : {&values, &records}) {
    digest.add_number(list->size());
    for (const auto& [name, value] : *list) {
      digest.add_counted(name);
      digest.add_counted(value);
    }
  }
  return digest.value();
}

SceneIdentity identity_of(const SceneSource& source) {
  SceneIdentity identity;
  flatten(source.root(), "", identity.values);
  for (const SceneRecord& record : source.records()) identity.records[record.name] = record.text;
  return identity;
}

SceneIdentity identity_of(const std::string& text, const std::vector<std::string>& overrides,
                          const std::vector<SceneRecord>& records) {
  return identity_of(SceneSource(text, "scene", overrides, records));
}

SceneIdentity identity_of_scene(const std::filesystem::path& scene,
                                const std::vector<std::string>& overrides) {
  return identity_of(SceneSource(read_text_file(scene), scene.string(), overrides));
}

SceneIdentity identity_of_run(const RunHeader& header) {
  return identity_of(header.scene_text, header.overrides, header.records);
}

std::optional<std::string> difference(const SceneIdentity& in_file, const SceneIdentity& now) {
  for (const auto& [key, value] : in_file.values) {
    const auto other = now.values.find(key);
    if (other == now.values.end())
      return fmt::format("{} is {} in the file and not given now", key, shortened(value));
    if (other->second != value)
      return fmt::format("{} is {} in the file and {} now", key, shortened(value),
                         shortened(other->second));
  }
  for (const auto& [key, value] : now.values)
    if (!in_file.values.contains(key))
      return fmt::format("{} is {} now and not given in the file", key, shortened(value));
  for (const auto& [name, text] : in_file.records) {
    const auto other = now.records.find(name);
    if (other == now.records.end() || other->second != text)
      return fmt::format("record {} has other contents", name);
  }
  for (const auto& [name, text] : now.records)
    if (!in_file.records.contains(name))
      return fmt::format("record {} is not kept in the file", name);
  return std::nullopt;
}

}  // namespace talus
