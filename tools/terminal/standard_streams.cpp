// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace talus {

namespace {

// Opens a closed descriptor in the wrong direction, so that reading or writing still fails.
void take_if_closed(int descriptor, int wrong_way) {
  if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  const int opened = open("/dev/null", wrong_way);
  if (opened < 0 || opened == descriptor) return;
  dup2(opened, descriptor);
  close(opened);
}

// If the reader does not read, a signal ends the wait, since its handler may want to end the
// program.
ssize_t write_what_is_taken(void*, const char* text, std::size_t size) {
  for (std::size_t written = 0; written < size;) {
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (poll(&ready, 1, -1) < 0) break;
    const ssize_t part = write(STDERR_FILENO, text + written, size - written);
    if (part < 0) break;
    written += static_cast<std::size_t>(part);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void prepare_standard_streams() {
  take_if_closed(STDIN_FILENO, O_WRONLY);
  take_if_closed(STDOUT_FILENO, O_RDONLY);
  take_if_closed(STDERR_FILENO, O_RDONLY);
  std::FILE* const lenient =
      fopencookie(nullptr, "w", {nullptr, write_what_is_taken, nullptr, nullptr});
  if (lenient == nullptr) return;
  std::setvbuf(lenient, nullptr, _IONBF, 0);
  stderr = lenient;
}

}  // namespace talus
