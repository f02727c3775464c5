// SPDX-License-Identifier: Apache-2.0
// A scene file (TOML, scenes/README.md) → Scene. Every mistake is a SceneError with its place.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_error.hpp"
#include "io/scene/scene_record.hpp"

namespace talus {

inline constexpr double max_steps = 1e12;  // of a run

struct SceneDocument {
  AnyScene scene;
  std::string text;                    // of the file, verbatim
  std::string path;                    // as given
  std::vector<std::string> overrides;  // key=value, applied in this order
  std::vector<SceneRecord> records;    // files that the scene names with { file = … }

  // Where the body was described; for a generated one, its generator.
  const Place& origin_of_body(int body) const;
  std::string place_of_body(int body) const;  // file:line:column
  // For errors that show only when all bodies are known, such as an overlap.
  SceneError error_at_body(int body, std::string_view what) const;
  SceneError error_at_joint(int joint, std::string_view what) const;

  struct Origin {
    int first_body = 0;  // bodies from here to the first of the next origin
    Place place;
  };
  std::vector<Origin> origins;
  std::vector<Place> joints;          // where each was described
  std::vector<std::string> warnings;  // probable slips, one line each
};

// `overrides` change the scene before it is checked: `time.step=1e-4`, `wall.0.courses=5`,
// `body.floor.fixed=false`, `dynamics=sweeping`.
SceneDocument read_scene(const std::filesystem::path& path,
                         std::span<const std::string> overrides = {});

// The same for a text that is not a file (any more). `path` is its name in messages. Records that
// it mentions are given, or read from the folder of `path`.
SceneDocument read_scene_text(std::string text, std::string path,
                              std::span<const std::string> overrides = {},
                              std::optional<std::vector<SceneRecord>> records = {});

}  // namespace talus
