// SPDX-License-Identifier: Apache-2.0
#include "tools/view/page_run.hpp"

#include "io/text/printable.hpp"

namespace talus {

ThinnedRun page_run(const TrajectoryReader& run, const std::string& file, double bytes) {
  ThinnedRun thinned;
  PageRun& page = thinned.page;
  page.name = printable(std::filesystem::path(file).stem().string());
  page.growing = growing_text(run, file);
  page.fixed = fixed_text(run, file, {});
  thinned.shown =
      shown_within(run, run.frames().size(),
                   bytes - static_cast<double>(page.growing.size() + page.fixed.size()));
  page.fixed = fixed_text(run, file, thinned.shown);
  page.chunks = chunk_texts(run, -1, thinned.shown).texts;
  return thinned;
}

}  // namespace talus
