// SPDX-License-Identifier: Apache-2.0
// A view of a run as XDMF 2 text, RUN.view.xmf2, for ParaView 5.11: one entry per frame that says
// which rows of which dataset to read. With this ending ParaView chooses the right reader.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/trajectory/view_layout.hpp"

namespace talus {

// The entry of one frame. `file` is the name of the trajectory, without folder.
std::string xdmf_entry(std::string_view view, const std::string& file, const ViewSizes& sizes,
                       const ViewFrame& frame);

// Grows by entries and is well formed after each of them: a single write replaces the old closing
// tags by an entry and new closing tags.
class XdmfFile {
 public:
  XdmfFile(const std::filesystem::path& path, std::string_view view);  // replaces an older file
  XdmfFile(XdmfFile&& other) noexcept;
  XdmfFile& operator=(XdmfFile&&) = delete;
  ~XdmfFile();

  void append(const std::string& entry);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  long end_ = 0;  // of the entries [bytes]
};

}  // namespace talus
