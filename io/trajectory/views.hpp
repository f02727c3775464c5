// SPDX-License-Identifier: Apache-2.0
// The companions of a trajectory for ParaView: RUN.vtkhdf, written once, and RUN.xmf2, which grows
// with the frames. Each has all views of the run as named blocks. Both are derived from RUN.h5 and
// can be written again.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/trajectory/view_layout.hpp"
#include "io/trajectory/xdmf.hpp"

namespace talus {

class ViewFiles {
 public:
  ViewFiles(const std::filesystem::path& run, const ViewSizes& sizes);  // replaces older ones

  void append(std::span<const ViewFrame> frames);

 private:
  std::string run_name_;
  ViewSizes sizes_;
  std::vector<std::string_view> views_;
  XdmfFile text_;
};

struct RebuiltViews {
  std::vector<std::filesystem::path> files;
  std::int64_t frames = 0;
};

// Writes all companions again from the frames in the file.
RebuiltViews rebuild_views(const std::filesystem::path& run);

}  // namespace talus
