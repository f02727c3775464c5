// SPDX-License-Identifier: Apache-2.0
// Suggestions for the name of a file that does not exist.
#pragma once

#include <filesystem>
#include <string>

namespace talus {

// " (did you mean 'scenes/wall.toml'?)" if the folder holds a file of a similar name, else empty.
std::string meant_instead(const std::filesystem::path& path);

}  // namespace talus
