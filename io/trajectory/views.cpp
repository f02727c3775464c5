// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/views.hpp"

#include <optional>

#include "io/hdf5/write_claim.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/vtkhdf.hpp"

namespace talus {

namespace {

std::vector<std::string_view> views_of(const ViewSizes& sizes) {
  std::vector<std::string_view> views;
  for (const std::string_view view : view_names)
    if (sizes.has(view)) views.push_back(view);
  return views;
}

}  // namespace

ViewFiles::ViewFiles(const std::filesystem::path& run, const ViewSizes& sizes)
    : run_name_(run.filename().string()),
      sizes_(sizes),
      views_(views_of(sizes)),
      text_(companion(run, "xmf2"), views_) {
  write_vtkhdf_stub(run, sizes);
}

void ViewFiles::append(std::span<const ViewFrame> frames) {
  std::vector<std::string> entries;
  for (const std::string_view view : views_) {
    std::string& text = entries.emplace_back();
    for (const ViewFrame& frame : frames) text += xdmf_entry(view, run_name_, sizes_, frame);
  }
  text_.append(entries);
}

RebuiltViews rebuild_views(const std::filesystem::path& run) {
  std::optional<WriteClaim> claim;  // a run that is being written updates its own views
  if (std::filesystem::exists(run)) claim.emplace(run);
  const TrajectoryReader reader(run);
  ViewFiles files(run, reader.view_sizes());
  RebuiltViews rebuilt;
  for (const Frame& frame : reader.frames()) files.append({&frame.rows, 1});
  rebuilt.frames = static_cast<std::int64_t>(reader.frames().size());
  for (const std::string_view ending : companion_endings)
    rebuilt.files.push_back(companion(run, ending));
  return rebuilt;
}

}  // namespace talus
