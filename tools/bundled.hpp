// Scenes that come with the program: beside the sources while it runs from a build tree, under
// PREFIX/share/talus once installed.
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

// An InputError for a scene that is not there, with the bundled one of that name if there is one.
void refuse_missing_scene(const std::filesystem::path& path);

}  // namespace talus
