// SPDX-License-Identifier: Apache-2.0
// The views of a run as VTKHDF 2.0 PolyData groups /views/* inside the trajectory file, for
// ParaView 5.12 and later. They hold links to the datasets of the run and the topology of points,
// lines and polygons, so nothing is stored twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "io/hdf5/hdf5_data.hpp"
#include "io/trajectory/view_layout.hpp"

namespace talus {

class VtkhdfViews {
 public:
  VtkhdfViews() = default;

  // All datasets that the views link to must exist.
  static VtkhdfViews create(hid_t file, const ViewSizes& sizes);
  static VtkhdfViews open(hid_t file, const ViewSizes& sizes);

  void append_contacts(std::int64_t count);  // topology of the contacts of the next frame
  void append_bodies(std::int64_t count);    // of its bodies, with emitters or outlets
  void commit(std::int64_t frames);          // this many frames may be shown
  // Truncates to this many frames. `end` has the first rows that are dropped; `longest` is the
  // number of points that counting_ has to cover.
  void cut(std::int64_t frames, const ViewFrame& end, std::int64_t longest);

  template <class F>
  void for_each_rows(F&& f) {
    f(counting_), f(contact_offsets_), f(chain_offsets_);
    if (body_offsets_) f(*body_offsets_);
  }

 private:
  std::vector<hdf5::Handle> steps_;  // the Steps groups
  hdf5::Rows counting_;              // 0, 1, 2, …: connectivity of any number of points and lines
  hdf5::Rows contact_offsets_, chain_offsets_;
  std::optional<hdf5::Rows> body_offsets_;

  void count_to(std::int64_t count);
};

// Writes RUN.vtkhdf: a block per view, each of them a link into RUN.h5.
void write_vtkhdf_stub(const std::filesystem::path& run, const ViewSizes& sizes);

}  // namespace talus
