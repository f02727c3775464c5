// SPDX-License-Identifier: Apache-2.0
// The page that plays runs in a browser: one HTML file with everything in it (tools/view/web).
#pragma once

#include <string>
#include <vector>

namespace talus {

struct PageRun {
  std::string name;
  std::string fixed, growing;       // JSON
  std::vector<std::string> chunks;  // JSON
};

// A live page asks the server it came from for what is new; any other page asks nobody.
std::string page_text(const std::vector<PageRun>& runs, bool live);

}  // namespace talus
