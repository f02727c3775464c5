// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/views.hpp"

#include <optional>

#include "io/hdf5/write_claim.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/vtkhdf.hpp"

namespace talus {

ViewFiles::ViewFiles(const std::filesystem::path& run, const ViewSizes& sizes)
    : run_name_(run.filename().string()), sizes_(sizes) {
  remove_views(run);
  for (std::string_view view : view_names) {
    if (view == "mesh" && sizes.mesh_vertices == 0) continue;
    write_vtkhdf_stub(run, view);
    texts_.push_back({view, XdmfFile(companion(run, view, "xmf2"), view)});
  }
}

void ViewFiles::append(const ViewFrame& frame) {
  for (Text& text : texts_) text.file.append(xdmf_entry(text.view, run_name_, sizes_, frame));
}

void remove_views(const std::filesystem::path& run) {
  for (std::string_view view : view_names)
    for (std::string_view extension : {"vtkhdf", "xmf2"})
      std::filesystem::remove(companion(run, view, extension));
}

RebuiltViews rebuild_views(const std::filesystem::path& run) {
  std::optional<WriteClaim> claim;  // a run that is being written updates its own views
  if (std::filesystem::exists(run)) claim.emplace(run);
  const TrajectoryReader reader(run);
  ViewFiles files(run, reader.view_sizes());
  RebuiltViews rebuilt;
  for (const Frame& frame : reader.frames()) files.append(frame.rows);
  rebuilt.frames = static_cast<std::int64_t>(reader.frames().size());
  for (std::string_view view : view_names)
    for (std::string_view extension : {"vtkhdf", "xmf2"})
      if (const auto path = companion(run, view, extension); std::filesystem::exists(path))
        rebuilt.files.push_back(path);
  return rebuilt;
}

}  // namespace talus
