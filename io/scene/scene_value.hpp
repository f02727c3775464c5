// SPDX-License-Identifier: Apache-2.0
// Typed, checked reading of TOML values. Each function returns the value or throws a SceneError
// that says where, what was found and what was expected.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/geometry/space.hpp"
#include "io/scene/scene_source.hpp"

namespace talus {

// The allowed range of a number.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_allowed = true;
};
inline constexpr Interval any_number{};
inline constexpr Interval positive{0, std::numeric_limits<double>::infinity(), false};
inline constexpr Interval non_negative{0};
inline constexpr Interval zero_to_one{0, 1};
inline constexpr int max_count = 1'000'000'000;  // largest value of any count

class Fields;
using Keys = std::vector<std::string_view>;

// One value. `where` is the entry it belongs to ("body 'floor'"), `name` its key ("position").
class Value {
 public:
  Value(const SceneSource& source, const toml::node& node, std::string where, std::string name)
      : source_(&source), node_(&node), where_(std::move(where)), name_(std::move(name)) {}

  double number(Interval allowed = any_number) const;
  int whole(int low, int high) const;
  bool flag() const;
  std::string text() const;
  std::string file_contents() const;  // of the file beside the scene that it names
  std::filesystem::path file_path() const;
  template <int D>
  Vec<D> vector() const;
  template <int D>
  Vec<D> direction() const;  // normalised
  // Index into the choices.
  int choice(const Keys& choices) const;
  std::vector<Value> elements() const;  // of an array, at least one
  std::vector<double> numbers(Interval allowed = any_number) const;
  Fields table(const Keys& known) const;
  Fields table(std::string where, const Keys& known) const;

  bool is_number() const { return node_->is_number(); }
  bool is_text() const { return node_->is_string(); }
  bool is_array() const { return node_->is_array(); }
  const toml::node& node() const { return *node_; }
  const SceneSource& source() const { return *source_; }
  const std::string& where() const { return where_; }
  const std::string& name() const { return name_; }

  [[noreturn]] void fail(std::string_view what) const;        // where: what
  [[noreturn]] void fail_value(std::string_view what) const;  // where: name = value what

 private:
  [[noreturn]] void fail_type(std::string_view expected) const;

  const SceneSource* source_;
  const toml::node* node_;
  std::string where_;
  std::string name_;
};

// The keys of one table. A key that is not among the known ones is an error.
class Fields {
 public:
  Fields(const SceneSource& source, const toml::table& table, std::string where, const Keys& known);

  bool has(std::string_view key) const { return table_->contains(key); }
  Value operator[](std::string_view key) const;  // an error if absent

  double number_or(std::string_view key, double fallback, Interval allowed = any_number) const;
  bool flag_or(std::string_view key, bool fallback) const;
  template <int D>
  Vec<D> vector_or(std::string_view key, const Vec<D>& fallback) const;

  // The one of these keys that is present; none or several are errors.
  std::string_view one_of(const Keys& keys) const;

  const std::string& where() const { return where_; }
  const SceneSource& source() const { return *source_; }
  Place place() const { return source_->place(table_->source()); }

  [[noreturn]] void fail(std::string_view what) const;  // at the table

 private:
  const SceneSource* source_;
  const toml::table* table_;
  std::string where_;
};

std::string joined(std::string_view where, std::string_view what);  // "where: what", or what

}  // namespace talus
