// What a run is a run of. Two scenes are the same when they mean the same: every value of the TOML
// text after what `--set` changed in it, and the contents of the records that it names with
// { file = … }. Comments, the order of tables and the way numbers are written make no difference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/scene_record.hpp"

namespace talus {

class SceneSource;
struct RunHeader;

struct SceneIdentity {
  std::map<std::string, std::string> values;   // by dotted key
  std::map<std::string, std::string> records;  // contents by the name in the scene

  std::uint64_t hash() const;
};

SceneIdentity identity_of(const SceneSource& source);

// Of a text whose records are known. Throws SceneError where the text is no TOML.
SceneIdentity identity_of(const std::string& text, const std::vector<std::string>& overrides,
                          const std::vector<SceneRecord>& records);

// Of a scene file, whose records are looked for beside it. Reads, but builds nothing. Throws
// InputError where a file cannot be read.
SceneIdentity identity_of_scene(const std::filesystem::path& scene,
                                const std::vector<std::string>& overrides);

SceneIdentity identity_of_run(const RunHeader& header);

// Nothing when the scenes are the same; otherwise the first thing that differs, such as
// "material.grain.friction is 0.4 in the file and 0.9 now".
std::optional<std::string> difference(const SceneIdentity& in_file, const SceneIdentity& now);

}  // namespace talus
