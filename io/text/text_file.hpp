// SPDX-License-Identifier: Apache-2.0
// Reads text files given by the user.
#pragma once

#include <filesystem>
#include <string>

namespace talus {

inline constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

// Returns the whole file. Throws InputError ("path: …") if it is missing, unreadable or too large.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace talus
