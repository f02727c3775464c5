// The right to write a trajectory, held by one program at a time: a lock on RUN.h5.journal.
//
// It is a POSIX record lock (fcntl): the system takes it from a process that ends, however it ends,
// and a forked child does not inherit it, so that none outlives its program. A process loses such a
// lock when it closes any descriptor of the file; journals that this process holds are therefore
// known by their inodes and never opened a second time.
#pragma once

#include <filesystem>

namespace talus {

class WriteClaim {
 public:
  // Creates the journal where there is none. If the last writer was killed in the middle of a
  // flush, ends the flush for it. Throws InputError where another program, or another claim of this
  // one, has the right, where the journal cannot be created, or where something else has its name.
  explicit WriteClaim(const std::filesystem::path& run);
  WriteClaim(WriteClaim&& other) noexcept;
  WriteClaim& operator=(WriteClaim&& other) noexcept;
  ~WriteClaim();  // removes the journal unless there is something to finish in it

  const std::filesystem::path& run() const { return run_; }
  int journal() const { return descriptor_; }

 private:
  std::filesystem::path run_;
  int descriptor_ = -1;
};

// Ends a flush that a killed writer left, for who only reads the file. Nothing is changed while a
// program writes it, nor where there is no journal of this very file.
void finish_flush(const std::filesystem::path& run);

}  // namespace talus
