// SPDX-License-Identifier: Apache-2.0
// `talus scenes`: the bundled scenes, one line each.
#include <fmt/core.h>

#include <algorithm>

#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

namespace {

int list_scenes(bool json) {
  const std::vector<BundledScene> scenes = scenes_in(scenes_folder());
  std::vector<std::string> paths;
  std::size_t longest = 0;
  for (const BundledScene& scene : scenes) {
    // The shortest path from the current folder.
    const std::filesystem::path near =
        scene.path.lexically_proximate(std::filesystem::current_path());
    paths.push_back(*near.begin() == ".." ? scene.path.string() : near.string());
    longest = std::max(longest, paths.back().size());
  }
  std::string list;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    if (json) {
      list += (i > 0 ? ", " : "") + JsonObject()
                                        .add("name", scenes[i].name)
                                        .add("path", scenes[i].path.string())
                                        .add("title", scenes[i].title)
                                        .text();
    } else {
      fmt::print("{:<{}}  {}\n", paths[i], longest, scenes[i].title);
    }
  }
  if (json) fmt::print("{}\n", JsonObject().raw("scenes", "[" + list + "]").text());
  return 0;
}

}  // namespace

void add_scenes(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("scenes", "List the bundled scenes, one line each");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object instead");
  command->footer("Example:  talus scenes");
  command->callback([&action, json] { action = [json] { return list_scenes(*json); }; });
}

}  // namespace talus
