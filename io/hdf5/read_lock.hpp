// SPDX-License-Identifier: Apache-2.0
// Readers of a trajectory while a run writes it: locks (flock) on the file itself.
//
// A reader holds a shared lock while it reads. The writer takes an exclusive lock while it writes a
// flush to the file. As long as it cannot get the lock, the file does not change: the flush waits
// in memory (hdf5_journal.hpp). So a reader sees one consistent state of the file. HDF5 locks files
// in the same way by default, so h5py and ParaView need no changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace talus {

// How long the writer waits for a reader. A reader that stays longer reads at its own risk.
inline constexpr std::chrono::seconds patience_with_readers{20};

// A shared lock for the lifetime of the object. No effect on a file system without locks.
class ReadLock {
 public:
  explicit ReadLock(const std::filesystem::path& file);
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;
  ~ReadLock();

 private:
  int descriptor_;
};

// The writer's side.
class ReaderWatch {
 public:
  explicit ReaderWatch(std::chrono::milliseconds patience = patience_with_readers)
      : patience_(patience) {}

  // Returns true if the file may be changed; then call let_readers_in. Returns false if a reader
  // holds the file; then try again later. After `patience` of such attempts it waits here for
  // another `patience`; if the change is urgent it waits at once. A reader that is still present
  // then reads at its own risk. It is not waited for again until there was a moment without
  // readers.
  bool lock_out_readers(int file, bool urgent);
  void let_readers_in(int file);

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds patience_;
  std::optional<Clock::time_point> reader_since_;
  bool reader_stays_ = false;
};

}  // namespace talus
