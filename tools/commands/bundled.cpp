// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/bundled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/scene/scene_reader.hpp"

namespace talus {

namespace {

namespace fs = std::filesystem;

// `source` is the folder in the source tree, `installed` the one under share/talus.
fs::path shared_folder(const char* source, const char* installed) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path beside = program.parent_path().parent_path() / "share/talus" / installed;
  const fs::path in_sources = fs::path(TALUS_SOURCE_DIR) / source;
  for (const fs::path& folder : {beside, in_sources}) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  throw InputError(fmt::format("the scenes that come with talus are neither in {} nor in {}",
                               beside.string(), in_sources.string()));
}

}  // namespace

fs::path scenes_folder() { return shared_folder("scenes", "scenes"); }
fs::path templates_folder() { return shared_folder("tools/templates", "templates"); }

void refuse_missing_scene(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return;
  fs::path bundled;
  try {
    bundled = scenes_folder() / path.filename();
  } catch (const InputError&) {
    return;  // the program was copied without its scenes
  }
  if (bundled.extension().empty()) bundled += ".toml";
  if (!fs::is_regular_file(bundled, ignored)) return;  // its reader will report the error
  throw InputError(fmt::format("{}: no such file; there is a bundled scene of that name: {}",
                               path.string(), bundled.string()));
}

std::vector<BundledScene> scenes_in(const fs::path& folder) {
  std::vector<BundledScene> scenes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const SceneDocument document = read_scene(entry.path());
    scenes.push_back({entry.path().stem().string(), entry.path(),
                      std::visit([](const auto& scene) { return scene.title; }, document.scene)});
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return scenes;
}

}  // namespace talus
