// SPDX-License-Identifier: Apache-2.0
// One bit of a file flipped in the stored bytes of each dataset, as a bad disk or cable leaves it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_file.hpp"
#include "tests/io/sample_run.hpp"

namespace talus::sample {

struct StoredDataset {
  std::string path;
  haddr_t address = 0;  // of its first stored value
  hsize_t bytes = 0;    // that hold values, or that a filter has made of them
};

inline herr_t add_dataset(hid_t file, const char* name, const H5O_info_t* info, void* found) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  StoredDataset stored{.path = "/" + std::string(name)};
  const hdf5::Handle data(H5Dopen2(file, name, H5P_DEFAULT), "open");
  const hdf5::Handle space(H5Dget_space(data), "space"), type(H5Dget_type(data), "type");
  const hdf5::Handle layout(H5Dget_create_plist(data), "layout");
  stored.bytes = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type);
  if (stored.bytes == 0) return 0;
  if (H5Pget_layout(layout) == H5D_CHUNKED) {
    hsize_t corner[H5S_MAX_RANK], size = 0;
    unsigned filters = 0;
    H5Dget_chunk_info(data, space, 0, corner, &filters, &stored.address, &size);
    stored.bytes = H5Pget_nfilters(layout) > 0 ? size : std::min(stored.bytes, size);
  } else {
    stored.address = H5Dget_offset(data);
  }
  if (stored.address != HADDR_UNDEF)
    static_cast<std::vector<StoredDataset>*>(found)->push_back(stored);
  return 0;
}

inline std::vector<StoredDataset> stored_datasets(const std::filesystem::path& path) {
  std::vector<StoredDataset> found;
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::read);
  REQUIRE(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &found) >= 0);
  return found;
}

// Calls f for each dataset with the file damaged in the middle of it; the file is as it was then.
template <class F>
void with_each_flipped(const std::filesystem::path& path, F&& f) {
  const std::string whole = content(path);
  int bit = 0;
  for (const StoredDataset& dataset : stored_datasets(path)) {
    CAPTURE(dataset.path);
    std::string damaged = whole;
    char& byte = damaged.at(dataset.address + dataset.bytes / 2);
    byte = static_cast<char>(byte ^ (1 << (bit++ % 8)));
    std::ofstream(path, std::ios::binary) << damaged;
    f();
  }
  std::ofstream(path, std::ios::binary) << whole;
}

}  // namespace talus::sample
