// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/bundled.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "io/scene/scene_reader.hpp"

namespace talus {

namespace {

namespace fs = std::filesystem;

// The file of the Python module, if this code was loaded from one; else empty.
fs::path own_module() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_module), &info) == 0) return {};
  const fs::path file = info.dli_fname;
  return file.extension() == ".so" ? file : fs::path();
}

// `source` is the folder in the source tree, `installed` the one under share/talus. An installed
// program has PREFIX/share beside PREFIX/bin; the Python module has share beside itself.
fs::path shared_folder(const char* source, const char* installed) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<fs::path> folders = {program.parent_path().parent_path() / "share/talus" / installed,
                                   fs::path(TALUS_SOURCE_DIR) / source};
  if (const fs::path module = own_module(); !module.empty())
    folders.insert(folders.begin(), module.parent_path() / "share/talus" / installed);
  for (const fs::path& folder : folders) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  std::vector<std::string> names;
  for (const fs::path& folder : folders) names.push_back(folder.string());
  throw InputError(
      fmt::format("the scenes that come with talus are not in {}", fmt::join(names, " nor in ")));
}

}  // namespace

fs::path scenes_folder() { return shared_folder("scenes", "scenes"); }
fs::path templates_folder() { return shared_folder("tools/templates", "templates"); }

std::string scene_file(const std::string& given) {
  const fs::path path = given;
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return given;
  fs::path bundled;
  try {
    bundled = scenes_folder() / path.filename();
  } catch (const InputError&) {
    return given;  // the program was copied without its scenes
  }
  if (bundled.extension().empty()) bundled += ".toml";
  if (!fs::is_regular_file(bundled, ignored)) return given;  // its reader will report the error
  const bool is_name = !path.has_parent_path() && !path.has_extension();
  if (is_name) return bundled.string();
  throw InputError(fmt::format("{}: no such file; there is a bundled scene of that name: {}", given,
                               bundled.string()));
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
