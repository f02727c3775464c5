// A reader beside the writer of a trajectory: locks (flock) on the file itself.
//
// A reader holds a shared lock while it reads. The writer takes an exclusive one for the moment in
// which a flush goes into the file, and as long as it cannot have it the file stays as it is: the
// flush waits in memory (hdf5_journal.hpp). So a reader sees one whole state of the file. HDF5
// locks what it reads in the same way unless it is told not to; readers by h5py and ParaView take
// part without knowing of Talus.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace talus {

// How long a reader is waited for: one that stays longer reads at its own risk.
inline constexpr std::chrono::seconds patience_with_readers{20};

// Shared, until its end. Where locks are not to be had, there is none.
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

  // True: the file may be changed, then let_readers_in. False: a reader is there; try again later.
  // A reader is given so much time that way, and then waited for, here, as long again; if the
  // change is urgent it is waited for at once. A reader that is still there reads at its own risk,
  // and is not waited for again until there was a moment without any.
  bool lock_out_readers(int file, bool urgent);
  void let_readers_in(int file);

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::milliseconds patience_;
  std::optional<Clock::time_point> reader_since_;
  bool reader_stays_ = false;
};

}  // namespace talus
