// Small files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace talus {

// An InputError if there is something at `path` already and `replace` does not say that it may go,
// or if it is no regular file. To be asked before long work; write_whole_file asks again.
void refuse_existing(const std::filesystem::path& path, bool replace);

// The text in a file of another name beside it, then renamed. No symbolic link is followed.
void write_whole_file(const std::filesystem::path& path, std::string_view text, bool replace);

}  // namespace talus
