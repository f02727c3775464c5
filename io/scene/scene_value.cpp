// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "io/text/printable.hpp"
#include "io/text/spelling.hpp"
#include "io/text/text_file.hpp"

namespace talus {

namespace {

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

// A value for a message, shortened.
std::string shown(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* text = node.as_string()) {
    return text->get().size() <= 40 ? fmt::format("\"{}\"", text->get()) : "\"…\"";
  }
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* array = node.as_array()) {
    constexpr std::size_t shown_elements = 4;
    if (array->size() > shown_elements) return "[…]";
    std::string list = "[";
    for (std::size_t i = 0; i < array->size(); ++i) {
      list += (i > 0 ? ", " : "") + shown((*array)[i]);
    }
    return list + "]";
  }
  if (node.is_table()) return "{…}";
  std::ostringstream date;
  date << toml::node_view<const toml::node>(node);
  return date.str();
}

std::string outside(Interval allowed) {
  if (allowed.low == 0 && std::isinf(allowed.high)) {
    return allowed.low_allowed ? "is negative" : "is not positive";
  }
  return fmt::format("is outside {}{}, {}]", allowed.low_allowed ? '[' : '(', allowed.low,
                     allowed.high);
}

}  // namespace

std::string joined(std::string_view where, std::string_view what) {
  return where.empty() ? std::string(what) : fmt::format("{}: {}", where, what);
}

void Value::fail(std::string_view what) const {
  throw source_->error(node_->source(), joined(where_, what));
}

void Value::fail_value(std::string_view what) const {
  fail(fmt::format("{} = {} {}", name_, shown(*node_), what));
}

void Value::fail_type(std::string_view expected) const {
  fail_value(fmt::format("is {}, expected {}", kind_of(*node_), expected));
}

double Value::number(Interval allowed) const {
  if (!node_->is_number()) fail_type("a number");
  const double x = *node_->value<double>();
  if (!std::isfinite(x)) fail_value("is not finite");
  const bool inside =
      (allowed.low_allowed ? x >= allowed.low : x > allowed.low) && x <= allowed.high;
  if (!inside) fail_value(outside(allowed));
  return x;
}

int Value::whole(int low, int high) const {
  const double x = number();
  if (x != std::floor(x)) fail_value("is not a whole number");
  if (x < low) fail_value(fmt::format("is less than {}", low));
  if (x > high) fail_value(fmt::format("is more than {}", high));
  return static_cast<int>(x);
}

bool Value::flag() const {
  if (!node_->is_boolean()) fail_type("true or false");
  return node_->as_boolean()->get();
}

std::string Value::text() const {
  if (!node_->is_string()) fail_type("a string");
  const std::string& words = node_->as_string()->get();
  if (printable(words) != words) fail_value("contains a control character");
  return words;
}

std::filesystem::path Value::file_path() const { return source_->beside(text()); }

std::string Value::file_contents() const {
  if (const SceneRecord* const record = source_->record(text())) return record->text;
  try {
    return read_text_file(file_path());
  } catch (const InputError& error) {
    fail(error.what());
  }
}

template <int D>
Vec<D> Value::vector() const {
  if (!node_->is_array()) fail_type(fmt::format("{} numbers in brackets", D));
  const toml::array& array = *node_->as_array();
  if (array.size() != D) {
    fail_value(fmt::format("has {} component{}, expected {} (dimension = {})", array.size(),
                           array.size() == 1 ? "" : "s", D, D));
  }
  const std::vector<double> components = numbers();
  return Eigen::Map<const Vec<D>>(components.data());
}

template <int D>
Vec<D> Value::direction() const {
  const Vec<D> v = vector<D>();
  const double largest = v.cwiseAbs().maxCoeff();  // scaled first, since its square may overflow
  if (!(largest > 0) || !std::isfinite(largest))
    fail_value("has no direction: its length must be positive");
  return (v / largest).normalized();
}

int Value::choice(const Keys& choices) const {
  const std::string chosen = text();
  int index = 0;
  for (const std::string_view candidate : choices) {
    if (chosen == candidate) return index;
    ++index;
  }
  fail_value("is not a choice" + hint(chosen, choices));
}

std::vector<Value> Value::elements() const {
  if (!node_->is_array()) fail_type("an array");
  const toml::array& array = *node_->as_array();
  if (array.empty()) fail_value("is empty");
  std::vector<Value> list;
  list.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    list.emplace_back(*source_, array[i], where_, fmt::format("{}[{}]", name_, i));
  }
  return list;
}

std::vector<double> Value::numbers(Interval allowed) const {
  std::vector<double> list;
  for (const Value& element : elements()) list.push_back(element.number(allowed));
  return list;
}

Fields Value::table(const Keys& known) const {
  return table(where_.empty() ? name_ : fmt::format("{}, {}", where_, name_), known);
}

Fields Value::table(std::string where, const Keys& known) const {
  if (!node_->is_table()) fail_type("a table { … }");
  return {*source_, *node_->as_table(), std::move(where), known};
}

Fields::Fields(const SceneSource& source, const toml::table& table, std::string where,
               const Keys& known)
    : source_(&source), table_(&table), where_(std::move(where)) {
  // The first unknown key in the text, whatever the order of the table.
  const toml::key* unknown = nullptr;
  for (auto&& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    if (unknown == nullptr || key.source().begin < unknown->source().begin) unknown = &key;
  }
  if (unknown != nullptr) {
    throw source_->error(unknown->source(),
                         joined(where_, fmt::format("unknown key '{}'{}", unknown->str(),
                                                    hint(unknown->str(), known))));
  }
}

Value Fields::operator[](std::string_view key) const {
  const toml::node* const node = table_->get(key);
  if (node == nullptr) fail(fmt::format("missing key '{}'", key));
  return {*source_, *node, where_, std::string(key)};
}

double Fields::number_or(std::string_view key, double fallback, Interval allowed) const {
  return has(key) ? (*this)[key].number(allowed) : fallback;
}

bool Fields::flag_or(std::string_view key, bool fallback) const {
  return has(key) ? (*this)[key].flag() : fallback;
}

template <int D>
Vec<D> Fields::vector_or(std::string_view key, const Vec<D>& fallback) const {
  return has(key) ? (*this)[key].template vector<D>() : fallback;
}

std::string_view Fields::one_of(const Keys& keys) const {
  std::string_view found;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    if (!found.empty()) {
      (*this)[key].fail(fmt::format("'{}' and '{}' exclude each other", found, key));
    }
    found = key;
  }
  if (found.empty()) fail("missing key: one of " + alternatives(keys));
  return found;
}

void Fields::fail(std::string_view what) const {
  throw source_->error(table_->source(), joined(where_, what));
}

template Vec<2> Value::vector<2>() const;
template Vec<3> Value::vector<3>() const;
template Vec<2> Value::direction<2>() const;
template Vec<3> Value::direction<3>() const;
template Vec<2> Fields::vector_or<2>(std::string_view, const Vec<2>&) const;
template Vec<3> Fields::vector_or<3>(std::string_view, const Vec<3>&) const;

}  // namespace talus
