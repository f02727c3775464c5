// SPDX-License-Identifier: Apache-2.0
// Only regular files are read: a pipe would block the program, and a device may have no end.
#pragma once

#include <filesystem>

namespace talus {

// Throws InputError ("path: is a folder, not a file") if `path` exists and is no regular file.
void require_regular_file(const std::filesystem::path& path);

}  // namespace talus
