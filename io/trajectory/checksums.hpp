// SPDX-License-Identifier: Apache-2.0
// /checksums of a trajectory, as maintained by its writer (integrity.hpp). Checksums that change
// during a run are attributes: they are written with the same flush as the extents of their tables.
// Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_data.hpp"

namespace talus {

inline constexpr const char* checksums_path = "/checksums";
inline constexpr const char* checksum_method = "xxh64";  // digest.hpp

// A growing table: number of rows and checksum of their values.
struct RowsChecksum {
  std::string path;
  std::uint64_t rows = 0, digest = 0;
};

class Checksums {
 public:
  // All tables of the file must have been created before.
  static Checksums create(hid_t file, const std::vector<RowsChecksum>& tables);
  static Checksums open(hid_t file);

  // Call it before each flush.
  void update(hid_t file, const std::vector<RowsChecksum>& tables);

 private:
  hdf5::Handle group_;
};

// Checksums computed from the contents of a file, to compare with the stored ones.

// One checksum per part. A part is "/" for the attributes of the file itself, or a group with
// everything below it. Rows of growing tables and attributes that change during a run are not
// included.
std::vector<std::uint64_t> digests_of_parts(hid_t file, const std::vector<std::string>& parts);
std::uint64_t digest_of_end_state(hid_t file);  // 0: there is none
// Checksum of the attributes that change during a run and of the checksums themselves.
std::uint64_t digest_of_rest(hid_t file, const std::vector<RowsChecksum>& tables,
                             std::uint64_t end_state);

}  // namespace talus
