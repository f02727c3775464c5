// SPDX-License-Identifier: Apache-2.0
// The views of a run as XDMF 2 text, RUN.xmf2, for ParaView 5.11: a block per view, in it an entry
// per frame that says which rows of which dataset to read. With this ending ParaView chooses the
// right reader.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/trajectory/view_layout.hpp"

namespace talus {

// The entry of one frame. `file` is the name of the trajectory, without folder.
std::string xdmf_entry(std::string_view view, const std::string& file, const ViewSizes& sizes,
                       const ViewFrame& frame);

// Grows by frames and is well formed after each of them. ParaView takes the names of blocks from
// the outermost grids only, so every block has its own list of frames. A list ends in blanks, and a
// new entry is written over them. When the blanks of a list are used up its room is doubled: the
// whole file is written again, under another name, and put in place. So the file is the same
// whether frames come one by one or many at a time.
class XdmfFile {
 public:
  // Replaces an older file.
  XdmfFile(const std::filesystem::path& path, std::span<const std::string_view> blocks);
  XdmfFile(XdmfFile&& other) noexcept;
  XdmfFile& operator=(XdmfFile&&) = delete;
  ~XdmfFile();

  // The same frames for every block.
  void append(std::span<const std::string> entries);

 private:
  struct Block {
    std::string name;
    long start = 0, used = 0, room = 0;  // of its list in the file [bytes]
  };

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<Block> blocks_;

  void make_room(std::span<const std::string> entries);
};

}  // namespace talus
