// SPDX-License-Identifier: Apache-2.0
// Checksums over all contents of a trajectory (/checksums, docs/TRAJECTORY.md): one for each
// growing table, updated with every flush, one for each part that is written once, and one for the
// rest. They are computed from the values that a reader gets, not from the bytes that HDF5 stores.
// So any damage that changes a value is detected, wherever it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace talus {

struct Integrity {
  std::size_t tables = 0;            // number of tables compared
  std::vector<std::string> damaged;  // descriptions of what differs
  std::string skipped;               // why nothing could be compared, if so

  bool sound() const { return damaged.empty(); }
};

// Reads the whole trajectory, in a child process (trial.hpp).
Integrity check_integrity(const std::filesystem::path& run);

// Throws InputError if a trajectory does not match its checksums.
void refuse_damaged(const std::filesystem::path& run);

}  // namespace talus
