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

// The file that a user means: `wall` is the bundled scene if there is no file of that name here.
// Throws InputError for a path that does not exist but ends like a bundled scene; suggests that.
std::string scene_file(const std::string& given);

}  // namespace talus
