// SPDX-License-Identifier: Apache-2.0
#include "io/scene/key_path.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

namespace talus {

namespace {

class PathSearch {
 public:
  explicit PathSearch(toml::source_position wanted) : wanted_(wanted) {}

  void look_into(const toml::node& node, const std::string& path) {
    consider(node.source().begin, path);
    if (const toml::table* const table = node.as_table()) {
      for (const auto& [key, value] : *table) {
        const std::string deeper = fmt::format("{}{}{}", path, path.empty() ? "" : ".", key.str());
        consider(key.source().begin, deeper);
        look_into(value, deeper);
      }
    } else if (const toml::array* const array = node.as_array()) {
      std::size_t k = 0;
      for (const toml::node& element : *array) look_into(element, fmt::format("{}[{}]", path, k++));
    }
  }

  const std::string& best() const { return best_; }

 private:
  void consider(toml::source_position begin, const std::string& path) {
    if (!(begin <= wanted_) || begin < nearest_) return;
    nearest_ = begin;
    best_ = path;
  }

  toml::source_position wanted_, nearest_{0, 0};
  std::string best_;
};

}  // namespace

std::string key_path_at(std::string_view toml, int line, int column) {
  const toml::table root = toml::parse(toml);
  PathSearch search(
      {static_cast<toml::source_index>(line), static_cast<toml::source_index>(column)});
  search.look_into(root, "");
  return search.best();
}

}  // namespace talus
