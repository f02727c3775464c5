// Checksums over everything a trajectory holds (/checksums, docs/TRAJECTORY.md): a digest of each
// table that grows, brought up to date with every flush, one of each part that is written once, and
// one of the rest. They are taken of the values that a reader gets, not of the bytes that HDF5
// stores: what leads a reader to other values is noticed, wherever it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace talus {

struct Integrity {
  std::size_t tables = 0;            // that were compared with checksums
  std::vector<std::string> damaged;  // what differs, in words
  std::string skipped;               // why nothing could be compared, if so

  bool sound() const { return damaged.empty(); }
};

// Reads all of a trajectory, in a child process (trial.hpp).
Integrity check_integrity(const std::filesystem::path& run);

// Throws InputError where a trajectory does not match its checksums.
void refuse_damaged(const std::filesystem::path& run);

}  // namespace talus
