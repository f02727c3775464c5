// HDF5 files that go from one whole state to the next, wherever the program is killed.
//
// HDF5 keeps its tables in place and rewrites them one after the other; a program killed in between
// leaves an index that contradicts itself. Behind a Journal a file is written differently. What
// goes where the file had nothing at its last flush is written at once, since nothing refers to it
// yet. What would change the file as it was then is held back until the next flush, which
//     1. writes the changed pages to FILE.journal, with a checksum,
//     2. copies them into the file,
//     3. empties the journal.
// Killed before 1 is complete, the file is as it was at the last flush; killed later, finish_flush
// (write_claim.hpp) brings it to the new one. In between, for some ten microseconds a flush, it can
// be read by Talus only.
//
// HDF5 cannot close a file after a failed write. So a write always succeeds: when the system
// refuses one, the file stays as it is from then on, changes are held in memory, and every flush
// fails.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "io/hdf5_file.hpp"
#include "io/journal_file.hpp"
#include "io/read_lock.hpp"
#include "io/write_claim.hpp"

namespace talus::hdf5 {

// Must outlive the handles of its file.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // A file that is written without a journal until start(); an existing one is emptied.
  Handle create(const std::filesystem::path& file);
  Handle open(const std::filesystem::path& file);  // for writing

  // From now on the file changes by whole flushes.
  void start(WriteClaim claim);

  // Rows of tables go into the file at once, while HDF5's own tables wait: right as long as rows
  // are only added, for nobody sees them before those tables tell of them.
  void let_rows_pass() { rows_pass_ = true; }

  // Whether a flush may wait in memory while a program reads the file (read_lock.hpp). Only while
  // rows pass.
  void let_readers_finish(bool let) { readers_finish_ = let; }
  bool is_in_file() const { return held_.empty(); }  // all that was flushed

  // Call it before the handles of the file are closed: from now on a flush that fails says
  // nothing. HDF5 would keep the file, half freed, and crash over it when the program ends.
  void close_regardless() { closing_ = true; }

 private:
  struct Driver;
  friend struct Driver;

  // Runs f, which changes the file, unless that failed before.
  template <class F>
  void change(F f);

  bool holds_back(H5FD_mem_t kind) const;
  void write(H5FD_mem_t kind, haddr_t address, std::span<const char> bytes);
  void read(haddr_t address, std::span<char> bytes) const;
  void hold(haddr_t address, std::span<const char> bytes);
  void flush();
  void finish(haddr_t end);

  int file_ = -1;
  std::optional<WriteClaim> claim_;
  haddr_t kept_ = 0;  // bytes below belong to the file as it was at the last flush
  haddr_t length_ = 0;
  bool rows_pass_ = false, readers_finish_ = false, closing_ = false;
  std::string trouble_;  // why the file could not be changed, if so
  ReaderWatch readers_;
  JournalPages held_;
};

}  // namespace talus::hdf5
