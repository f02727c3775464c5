#include "io/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/input_error.hpp"

namespace talus {

namespace {

InputError exists_already(const std::filesystem::path& path) {
  return InputError(fmt::format("{}: exists already (--force replaces it)", path.string()));
}

int write_all(int file, std::string_view text) {  // 0, or the number of the error
  while (!text.empty()) {
    const ssize_t part = write(file, text.data(), text.size());
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(part));
  }
  return 0;
}

// Like rename, but leaves alone what has come to be there in the meantime.
int rename_to_new(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from, to) != 0) return errno;  // file systems without the flag
  unlink(from);
  return 0;
}

}  // namespace

void refuse_existing(const std::filesystem::path& path, bool replace) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, none);
  if (!std::filesystem::exists(there)) return;
  if (!replace) throw exists_already(path);
  if (!std::filesystem::is_regular_file(path, none) && !std::filesystem::is_symlink(there))
    throw InputError(fmt::format("{}: is not a regular file", path.string()));
}

void write_whole_file(const std::filesystem::path& path, std::string_view text, bool replace) {
  refuse_existing(path, replace);
  const std::string unfinished = fmt::format("{}.{}.part", path.string(), getpid());
  const auto fail = [&](int error) {
    unlink(unfinished.c_str());
    if (error == EEXIST) throw exists_already(path);
    throw InputError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(error)));
  };
  unlink(unfinished.c_str());  // of a killed program that had this number
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(errno);
  int error = write_all(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  if (error != 0) fail(error);
  error = replace ? (std::rename(unfinished.c_str(), path.c_str()) == 0 ? 0 : errno)
                  : rename_to_new(unfinished.c_str(), path.c_str());
  if (error != 0) fail(error);
}

}  // namespace talus
