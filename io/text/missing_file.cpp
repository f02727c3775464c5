// SPDX-License-Identifier: Apache-2.0
#include "io/text/missing_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "io/text/spelling.hpp"

namespace talus {

std::string meant_instead(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == path.extension())
      names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string word = path.filename().string();
  const std::string_view meant = nearest(word, names);
  if (meant.empty()) return {};
  return fmt::format(" (did you mean '{}'?)", (path.parent_path() / meant).string());
}

}  // namespace talus
