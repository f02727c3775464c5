// SPDX-License-Identifier: Apache-2.0
// A damaged file can crash the HDF5 library itself (seen with 1.10.8: a flipped byte in a header
// makes it read invalid memory, divide by zero or loop). So such a file is first read in a child
// process, whose crash does no harm, and only then by the program.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace talus {

// Runs `read`, which reads `file`, in a child process. Returns false if the child was killed by a
// signal, took longer than an intact file of this size needs, or printed to standard error, as HDF5
// does when its state is corrupt. An exception is not a failure. The results are lost: read again.
bool survives(const std::filesystem::path& file, const std::function<void()>& read);

// The same for a function that returns a short text. Returns its first 4000 bytes, or nothing if
// survives would be false or `read` throws. The file need not be read again.
std::optional<std::string> told_by_child(const std::filesystem::path& file,
                                         const std::function<std::string()>& read);

}  // namespace talus
