// SPDX-License-Identifier: Apache-2.0
#include "io/text/regular_file.hpp"

#include <fmt/format.h>

#include "io/text/input_error.hpp"

namespace talus {

void require_regular_file(const std::filesystem::path& path) {
  using Type = std::filesystem::file_type;
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("{}: is {}, not a file", path.string(), what));
  };
  std::error_code ignored;
  switch (std::filesystem::status(path, ignored).type()) {
    case Type::directory:
      return refuse("a folder");
    case Type::fifo:
      return refuse("a pipe");
    case Type::socket:
      return refuse("a socket");
    case Type::block:
    case Type::character:
      return refuse("a device");
    default:
      return;
  }
}

}  // namespace talus
