// SPDX-License-Identifier: Apache-2.0
// Exclusive right to write a trajectory: a lock on RUN.h5.journal, held by one program at a time.
//
// It is a POSIX record lock (fcntl). The system releases it when the process ends, however it ends,
// and a forked child does not inherit it. So no lock outlives its program. A process loses such a
// lock when it closes any descriptor of the file. Therefore the journals held by this process are
// registered by their inodes and never opened a second time.
#pragma once

#include <filesystem>

namespace talus {

class WriteClaim {
 public:
  // Creates the journal if there is none. If the last writer was killed during a flush, completes
  // the flush. Throws InputError if another program, or another claim of this program, holds the
  // lock, if the journal cannot be created, or if a foreign file has its name.
  explicit WriteClaim(const std::filesystem::path& run);
  WriteClaim(WriteClaim&& other) noexcept;
  WriteClaim& operator=(WriteClaim&& other) noexcept;
  ~WriteClaim();  // removes the journal unless it holds an unfinished flush

  const std::filesystem::path& run() const { return run_; }
  int journal() const { return descriptor_; }

 private:
  std::filesystem::path run_;
  int descriptor_ = -1;
};

// Completes a flush that a killed writer left, before the file is read. Changes nothing while a
// program writes the file, or if no journal belongs to it.
void finish_flush(const std::filesystem::path& run);

}  // namespace talus
