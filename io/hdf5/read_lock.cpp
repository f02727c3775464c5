// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/read_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace talus {

namespace {

// Returns false only if another process holds the lock. A file system without locks counts as
// success.
bool try_to_lock(int file, int how) {
  while (flock(file, how | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return errno != EWOULDBLOCK;
  }
  return true;
}

bool lock_in_time(int file, int how, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!try_to_lock(file, how)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace

ReadLock::ReadLock(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ >= 0) lock_in_time(descriptor_, LOCK_SH, patience_with_readers);
}

ReadLock::~ReadLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ReaderWatch::lock_out_readers(int file, bool urgent) {
  if (try_to_lock(file, LOCK_EX)) {
    reader_since_.reset();
    reader_stays_ = false;
    return true;
  }
  if (reader_stays_) return true;
  if (!reader_since_) reader_since_ = Clock::now();
  if (!urgent && Clock::now() < *reader_since_ + patience_) return false;
  reader_stays_ = !lock_in_time(file, LOCK_EX, patience_);
  if (!reader_stays_) reader_since_.reset();
  return true;
}

void ReaderWatch::let_readers_in(int file) { flock(file, LOCK_UN); }

}  // namespace talus
