// Which file was meant by a name that no file has.
#pragma once

#include <filesystem>
#include <string>

namespace talus {

// " (did you mean 'scenes/wall.toml'?)" if the folder holds a file of a like name, else empty.
std::string meant_instead(const std::filesystem::path& path);

}  // namespace talus
