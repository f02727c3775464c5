// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_seeds.hpp"

#include <fmt/format.h>

namespace talus {

std::vector<SceneSeed> scene_seeds(const SceneSource& source) {
  std::vector<SceneSeed> seeds;
  for (const char* kind : {"packing", "column", "emitter", "grid"}) {
    const toml::array* entries = source.root()[kind].as_array();
    if (entries == nullptr) continue;
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const toml::table* entry = (*entries)[i].as_table();
      if (entry == nullptr) continue;
      if (std::string_view(kind) == "grid" && !entry->contains("jitter")) continue;
      seeds.push_back(
          {fmt::format("{}.{}.seed", kind, i), (*entry)["seed"].value_or<std::int64_t>(0)});
    }
  }
  return seeds;
}

}  // namespace talus
