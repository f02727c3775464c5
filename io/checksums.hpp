// /checksums of a trajectory, as its writer keeps it (integrity.hpp). What changes with the run is
// in attributes: they reach the file with the same flush as the extents of the tables they tell of.
// Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5_data.hpp"

namespace talus {

inline constexpr const char* checksums_path = "/checksums";
inline constexpr const char* checksum_method = "xxh64";  // digest.hpp

// A table that grows: its rows and the digest of their values.
struct RowsChecksum {
  std::string path;
  std::uint64_t rows = 0, digest = 0;
};

class Checksums {
 public:
  // Of a file whose tables have all been created.
  static Checksums create(hid_t file, const std::vector<RowsChecksum>& tables);
  static Checksums open(hid_t file);

  // Before each flush.
  void update(hid_t file, const std::vector<RowsChecksum>& tables);

 private:
  hdf5::Handle group_;
};

// What the checksums of a file should be, computed from what it holds.

// Of each part: "/" for the attributes of the file itself, or a group and all below it. Rows of
// tables that grow do not count, nor what changes with the run.
std::vector<std::uint64_t> digests_of_parts(hid_t file, const std::vector<std::string>& parts);
std::uint64_t digest_of_end_state(hid_t file);  // 0: there is none
// Of the attributes that change with the run and of the checksums themselves.
std::uint64_t digest_of_rest(hid_t file, const std::vector<RowsChecksum>& tables,
                             std::uint64_t end_state);

}  // namespace talus
