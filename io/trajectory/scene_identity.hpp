// SPDX-License-Identifier: Apache-2.0
// Identity of a scene, to decide whether a run can be resumed. Two scenes are the same if they mean
// the same: all values of the TOML text after `--set`, and the contents of the records that it
// names with { file = … }. Comments, the order of tables and the way numbers are written make no
// difference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/scene_record.hpp"

namespace talus {

class SceneSource;
struct RunHeader;

struct SceneIdentity {
  std::map<std::string, std::string> values;   // by dotted key
  std::map<std::string, std::string> records;  // contents by the name in the scene

  std::uint64_t hash() const;
};

SceneIdentity identity_of(const SceneSource& source);

// Identity of a text whose records are known. Throws SceneError if the text is not TOML.
SceneIdentity identity_of(const std::string& text, const std::vector<std::string>& overrides,
                          const std::vector<SceneRecord>& records);

// Identity of a scene file; its records are read from its folder. The scene is not built. Throws
// InputError if a file cannot be read.
SceneIdentity identity_of_scene(const std::filesystem::path& scene,
                                const std::vector<std::string>& overrides);

SceneIdentity identity_of_run(const RunHeader& header);

// Empty if the scenes are the same; otherwise the first difference, such as
// "material.grain.friction is 0.4 in the file and 0.9 now".
std::optional<std::string> difference(const SceneIdentity& in_file, const SceneIdentity& now);

}  // namespace talus
