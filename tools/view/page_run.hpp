// SPDX-License-Identifier: Apache-2.0
// A run for a page of a given size.
#pragma once

#include <string>

#include "tools/view/page.hpp"
#include "tools/view/run_text.hpp"

namespace talus {

struct ThinnedRun {
  PageRun page;
  Shown shown;  // the part of the run that the page has
};

// Its chunks fill what the rest leaves of `bytes`.
ThinnedRun page_run(const TrajectoryReader& run, const std::string& file, double bytes);

}  // namespace talus
