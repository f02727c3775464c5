// Text files a user names: scenes, and records of motions or forces in two columns.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/signal.hpp"

namespace talus {

inline constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

// The whole file; an InputError "path: …" when it is missing, unreadable or too large.
std::string read_text_file(const std::filesystem::path& path);

// Time [s] and value in two columns, separated by blanks or a comma; times increase; empty lines
// and what follows a # are skipped. `name` is the file's, for the place in a SceneError; messages
// do not repeat what is there, since a scene from others may name any file.
Table parse_record(std::string_view text, const std::string& name);

}  // namespace talus
