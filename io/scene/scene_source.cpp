// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "io/scene/toml_depth.hpp"
#include "io/text/spelling.hpp"
#include "io/text/text_file.hpp"

namespace talus {

namespace {

constexpr std::string_view set_option = "--set ";

std::string syntax_message(const toml::parse_error& error) {
  std::string_view what = error.description();
  constexpr std::string_view preamble = "Error while parsing ";
  if (what.starts_with(preamble)) what.remove_prefix(preamble.size());
  return fmt::format("TOML: {}", what);
}

// Whether a parse error is due to a decimal comma, as in `friction = 0,5`.
bool is_decimal_comma(std::string_view text, const toml::parse_error& error) {
  if (!error.description().ends_with("saw ','")) return false;
  for (auto line = error.source().begin.line; line > 1; --line)
    text.remove_prefix(text.find('\n') + 1);
  const std::size_t column = error.source().begin.column;  // from 1
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(text[i]) != 0;
  };
  return column >= 2 && is_digit(column - 2) && is_digit(column);
}

std::string too_deep() { return fmt::format("TOML: a key of more than {} parts", max_key_parts); }

Place place_of_override(const std::string& text) { return {std::string(set_option) + text, 0, 0}; }

// Whether a value such as `sweeping` or `record.txt` is not TOML but clearly meant as a string.
bool is_bare_word(std::string_view value) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit_or_mark = [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/' || c == ' ';
  };
  return !value.empty() && is_letter(value.front()) &&
         std::all_of(value.begin(), value.end(),
                     [&](char c) { return is_letter(c) || is_digit_or_mark(c); });
}

toml::table parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool is_one_assignment = equals != std::string::npos && equals > 0 && text.front() != '[' &&
                                 text.find_first_of("#\n\r") > equals &&
                                 text.find('\n') == std::string::npos;
  if (!is_one_assignment) {
    throw SceneError(place_of_override(text), {}, "expected key=value, as in time.step=1e-4");
  }
  if (line_of_too_deep_key(text) > 0)
    throw SceneError(place_of_override(text.substr(0, 40) + "…"), {}, too_deep());
  const std::string origin = place_of_override(text).file;
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    const std::string value = text.substr(equals + 1);
    if (is_bare_word(value)) {
      return toml::parse(fmt::format("{}=\"{}\"", text.substr(0, equals), value), origin);
    }
    throw SceneError(place_of_override(text), {}, syntax_message(error));
  }
}

// Index of the array element that a segment of a dotted key names.
std::size_t element(const toml::array& array, std::string_view segment, std::string_view array_name,
                    const std::string& override_text) {
  std::size_t index = 0;
  const auto [end, failure] =
      std::from_chars(segment.data(), segment.data() + segment.size(), index);
  if (failure == std::errc() && end == segment.data() + segment.size()) {
    if (index < array.size()) return index;
    throw SceneError(
        place_of_override(override_text), {},
        array.size() > 1
            ? fmt::format("'{}' has entries 0 to {}, not {}", array_name, array.size() - 1, segment)
            : fmt::format("'{}' has {}, not {}", array_name,
                          array.empty() ? "no entries" : "one entry, 0", segment));
  }
  std::vector<std::string_view> names;
  for (index = 0; index < array.size(); ++index) {
    const toml::table* const table = array[index].as_table();
    const auto name = table == nullptr ? std::nullopt : (*table)["name"].value<std::string_view>();
    if (name == segment) return index;
    if (name) names.push_back(*name);
  }
  const std::string_view meant = nearest(segment, names);
  throw SceneError(place_of_override(override_text), {},
                   fmt::format("'{}' has no entry named '{}'{}", array_name, segment,
                               meant.empty() ? "; use its number, from 0"
                                             : fmt::format(" (did you mean '{}'?)", meant)));
}

// Whether a dotted key continues here: it parses to nested tables, while an inline table is a
// value.
bool leads_on(const toml::node& value) {
  return value.is_table() && !value.as_table()->is_inline();
}

// Sets the one value of `change` at its dotted key in `target`. Missing tables are created; the
// reader of the scene checks their keys.
void merge(toml::table& target, toml::table& change, const std::string& override_text);

void descend(toml::node& target, toml::node& change, std::string_view name,
             const std::string& override_text) {
  toml::table& step = *change.as_table();
  if (toml::table* const table = target.as_table()) {
    merge(*table, step, override_text);
  } else if (toml::array* const array = target.as_array()) {
    const auto only = step.begin();
    const toml::key& key = only->first;
    toml::node& value = only->second;
    const std::size_t index = element(*array, key.str(), name, override_text);
    if (leads_on(value)) {
      descend((*array)[index], value, key.str(), override_text);
    } else {
      array->replace(array->cbegin() + static_cast<std::ptrdiff_t>(index), std::move(value));
    }
  } else {
    throw SceneError(
        place_of_override(override_text), {},
        fmt::format("'{}' is a single value and has no '{}'", name, step.begin()->first.str()));
  }
}

void merge(toml::table& target, toml::table& change, const std::string& override_text) {
  const auto only = change.begin();
  const toml::key& key = only->first;
  toml::node& value = only->second;
  toml::node* const existing = target.get(key.str());
  if (existing != nullptr && leads_on(value)) {
    descend(*existing, value, key.str(), override_text);
  } else {
    target.insert_or_assign(key, std::move(value));
  }
}

// [material.NAME] is the only table whose keys are chosen by the scene: a mistyped name would go
// unnoticed.
void refuse_new_names(const toml::table& root, const toml::table& change,
                      const std::string& override_text) {
  const toml::table* const changed = change["material"].as_table();
  if (changed == nullptr) return;
  std::vector<std::string_view> known;
  if (const toml::table* const materials = root["material"].as_table())
    for (auto&& [name, material] : *materials) known.push_back(name.str());
  for (auto&& [name, value] : *changed) {
    if (std::find(known.begin(), known.end(), name.str()) != known.end()) continue;
    throw SceneError(
        place_of_override(override_text), {},
        fmt::format("the scene has no material '{}'{}", name.str(), hint(name.str(), known)));
  }
}

}  // namespace

SceneSource::SceneSource(std::string text, std::string path, std::span<const std::string> overrides,
                         std::optional<std::vector<SceneRecord>> records)
    : text_(std::move(text)), path_(std::move(path)) {
  if (text_.starts_with("\x89HDF\r\n"))
    throw SceneError({path_}, {}, "is an HDF5 file, not a text; talus info shows what is in it");
  if (const int line = line_of_too_deep_key(text_); line > 0)
    throw SceneError({path_, line, 0}, {}, too_deep());
  try {
    root_ = toml::parse(text_, path_);
  } catch (const toml::parse_error& error) {
    const bool is_scene = std::filesystem::path(path_).extension() == ".toml";
    if (is_scene && is_decimal_comma(text_, error))
      throw this->error(error.source(), "TOML: a comma in a number; write 0.5, not 0,5");
    throw this->error(error.source(), is_scene ? syntax_message(error)
                                               : "is not TOML: scenes and studies are .toml files");
  }
  for (const std::string& override_text : overrides) apply(override_text);
  if (records)
    records_ = std::move(*records);
  else
    read_records(root_);
}

std::filesystem::path SceneSource::beside(std::string_view name) const {
  return std::filesystem::path(path_).parent_path() / name;
}

const SceneRecord* SceneSource::record(std::string_view name) const {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const SceneRecord& record) { return record.name == name; });
  return found == records_.end() ? nullptr : &*found;
}

// Reads every { file = "…" }, files that a shape names by itself, and the meshes of folders, once.
// Files that cannot be read are skipped here: the error is reported where the value is used.
void SceneSource::read_records(const toml::node& node) {
  if (const toml::array* const array = node.as_array())
    for (const toml::node& element : *array) read_records(element);
  const toml::table* const table = node.as_table();
  if (table == nullptr) return;
  for (const auto& [key, value] : *table) read_records(value);
  for (const char* key : {"file", "mesh", "heightfield"})
    if (const auto name = (*table)[key].value<std::string>()) add_record(*name);
  const auto folder = (*table)["folder"].value<std::string>();
  if (!folder) return;
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(beside(*folder), failure)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".stl" || ending == ".obj" || ending == ".STL" || ending == ".OBJ")
      names.push_back((std::filesystem::path(*folder) / entry.path().filename()).string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) add_record(name);
}

void SceneSource::add_record(const std::string& name) {
  if (record(name) != nullptr) return;
  try {
    records_.push_back({name, read_text_file(beside(name))});
  } catch (const InputError&) {
  }
}

std::vector<std::string> SceneSource::records_in(std::string_view folder) const {
  std::vector<std::string> names;
  for (const SceneRecord& record : records_)
    if (std::filesystem::path(record.name).parent_path() ==
        (std::filesystem::path(folder) / "x").parent_path())
      names.push_back(record.name);
  std::sort(names.begin(), names.end());
  return names;
}

void SceneSource::apply(const std::string& override_text) {
  toml::table change = parse_override(override_text);
  refuse_new_names(root_, change, override_text);
  merge(root_, change, override_text);
}

Place SceneSource::place(const toml::source_region& region) const {
  if (region.path && region.path->starts_with(set_option)) return {*region.path, 0, 0};
  return {path_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

}  // namespace talus
