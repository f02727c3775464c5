// A view of a run as XDMF 2 text, RUN.view.xmf2, for ParaView 5.11: an entry per frame that says
// which rows of which dataset to read. The ending leaves ParaView no choice of reader but the one
// that understands it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/view_layout.hpp"

namespace talus {

// What one frame adds to the text of a view. `file` is the name of the trajectory, without folder.
std::string xdmf_entry(std::string_view view, const std::string& file, const ViewSizes& sizes,
                       const ViewFrame& frame);

// Grows by entries and is well formed after each: an entry and the closing tags replace the old
// closing tags in a single write.
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
