// SPDX-License-Identifier: Apache-2.0
#include "tests/program/clone.hpp"

#include <regex>

namespace talus {

namespace fs = std::filesystem;

std::string ending_early(const std::string& text, double latest) {
  static const std::regex end(R"((\bend *= *|--until |--at |--to |h5@)([0-9.]+))");
  std::string early;
  auto last = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), end), none; match != none; ++match) {
    early.append(last, (*match)[2].first);
    early += std::stod((*match)[2]) > latest ? std::to_string(latest) : (*match)[2].str();
    last = (*match)[0].second;
  }
  return early.append(last, text.cend());
}

void make_clone(const Scratch& scratch, double latest) {
  const fs::path root = TALUS_SOURCE_DIR;
  fs::create_directories(scratch / "tools");
  fs::create_symlink(root / "tests", scratch / "tests");
  write_text(scratch / "tools/talus", "#!/bin/sh\nexec '" TALUS_PROGRAM "' \"$@\"\n");
  fs::permissions(scratch / "tools/talus", fs::perms::owner_all);
  fs::copy(root / "scenes", scratch / "scenes", fs::copy_options::recursive);
  const auto is_study = [](const fs::path& path) { return path.parent_path().stem() == "studies"; };
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "scenes"))
    if (entry.path().extension() == ".toml")
      write_text(entry.path(),
                 ending_early(read_text(entry.path()), is_study(entry) ? 0.02 : latest));
}

}  // namespace talus
