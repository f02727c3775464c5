// Files that are named to be read: a pipe would keep the program waiting, a device may have no end.
#pragma once

#include <filesystem>

namespace talus {

// An InputError "path: is a folder, not a file" for what is there and is no regular file.
void require_regular_file(const std::filesystem::path& path);

}  // namespace talus
