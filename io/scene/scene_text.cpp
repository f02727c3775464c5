// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_text.hpp"

#include <sstream>

#include "io/scene/scene_source.hpp"

namespace talus {

std::string text_with_changes(const std::string& text, const std::string& path,
                              std::span<const std::string> overrides) {
  if (overrides.empty()) return text;
  const SceneSource source(text, path, overrides, std::vector<SceneRecord>{});
  std::ostringstream changed;
  changed << toml::toml_formatter(source.root()) << '\n';
  return changed.str();
}

}  // namespace talus
