// A stranger's file can crash the HDF5 library itself (seen with 1.10.8: a flipped byte in a header
// makes it copy from nowhere, divide by zero or loop). So such a file is first read by a child
// process, whose death costs nothing, and only then by the program.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace talus {

// Runs `read`, which reads `file`, in a child process. False when the child was killed by a signal,
// took longer than any sound file of this size, or complained on standard error, as HDF5 does when
// it finds itself in disorder; an exception is an orderly end. The results are lost: read again.
bool survives(const std::filesystem::path& file, const std::function<void()>& read);

// The same for a result that is a short text: its first 4000 bytes, nothing where survives would be
// false or `read` throws. The file need not be read again.
std::optional<std::string> told_by_child(const std::filesystem::path& file,
                                         const std::function<std::string()>& read);

}  // namespace talus
