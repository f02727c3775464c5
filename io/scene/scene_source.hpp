// SPDX-License-Identifier: Apache-2.0
// The text of a scene as TOML, with the changes of `--set` applied. Every value knows its place in
// the text.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/scene/scene_error.hpp"
#include "io/scene/scene_record.hpp"

namespace talus {

class SceneSource {
 public:
  // `path` names the text in messages. Overrides are `key=value` with dotted keys; elements of
  // arrays are named by their index from 0 or, where they have one, by their `name`. Records that
  // the scene names are given, or read from its folder.
  SceneSource(std::string text, std::string path, std::span<const std::string> overrides,
              std::optional<std::vector<SceneRecord>> records = {});

  const toml::table& root() const { return root_; }
  const std::vector<SceneRecord>& records() const { return records_; }  // that could be read
  const SceneRecord* record(std::string_view name) const;               // or null
  std::filesystem::path beside(std::string_view name) const;
  // Names of the records in a folder, in alphabetical order.
  std::vector<std::string> records_in(std::string_view folder) const;
  // What was changed while values were read, one line each with its place.
  void remark(const std::string& line) const { remarks_.push_back(line); }
  const std::vector<std::string>& remarks() const { return remarks_; }

  const std::string& text() const { return text_; }
  const std::string& path() const { return path_; }

  Place place(const toml::source_region& region) const;

  SceneError error(const toml::source_region& region, std::string_view what) const {
    return {place(region), text_, what};
  }

 private:
  void apply(const std::string& override_text);
  void read_records(const toml::node& node);
  void add_record(const std::string& name);

  std::string text_;
  std::string path_;
  toml::table root_;
  std::vector<SceneRecord> records_;
  mutable std::vector<std::string> remarks_;
};

}  // namespace talus
