// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "io/text/input_error.hpp"
#include "io/text/missing_file.hpp"
#include "io/text/regular_file.hpp"

namespace talus {

std::string read_text_file(const std::filesystem::path& path) {
  require_regular_file(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    throw InputError(fmt::format("{}: cannot open: {}{}", path.string(), std::strerror(reason),
                                 reason == ENOENT ? meant_instead(path) : ""));
  }
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_text_bytes) {
      throw InputError(fmt::format("{}: is larger than {} MB, the most that is read as text",
                                   path.string(), max_text_bytes >> 20));
    }
  }
  if (file.bad()) throw InputError(fmt::format("{}: cannot read", path.string()));
  return text;
}

}  // namespace talus
