// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/version_text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <CLI/Version.hpp>

#include "io/text/version.hpp"
#include "io/trajectory/format_version.hpp"
#include "tools/terminal/commit.hpp"

namespace talus {

std::string version_text() {
  std::string text = fmt::format("talus {}\ncommit {}\ntrajectory format {}.{}\n", version(),
                                 commit(), format_major, format_minor);
  for (const auto& [name, number] : dependency_versions())
    text += fmt::format("{} {}\n", name, number);
  return text + fmt::format("zlib {}\nCLI11 {}", zlibVersion(), CLI11_VERSION);
}

}  // namespace talus
