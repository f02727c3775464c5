// SPDX-License-Identifier: Apache-2.0
// Scenes that come with the program: in the source tree if it runs from a build tree, under
// PREFIX/share/talus if it is installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace talus {

std::filesystem::path scenes_folder();
std::filesystem::path templates_folder();

struct BundledScene {
  std::string name;  // of the file, without .toml
  std::filesystem::path path;
  std::string title;
};
std::vector<BundledScene> scenes_in(const std::filesystem::path& folder);  // by name

// Throws InputError for a scene that does not exist; suggests the bundled scene of that name.
void refuse_missing_scene(const std::filesystem::path& path);

}  // namespace talus
