// SPDX-License-Identifier: Apache-2.0
// Write-ahead journal for HDF5 files: a file goes from one consistent state to the next, wherever
// the program is killed.
//
// HDF5 updates its metadata in place, one piece after the other. A program that is killed in
// between leaves an inconsistent index. A Journal, a virtual file driver (H5FD), writes
// differently. Bytes beyond the end that the file had at its last flush are written at once, since
// nothing refers to them yet. Bytes that would change the older part are held in memory until the
// next flush, which
//     1. writes the changed pages to FILE.journal, with a checksum,
//     2. copies them into the file,
//     3. empties the journal.
// If the program is killed before 1 is complete, the file is as it was at the last flush. If it is
// killed later, finish_flush (write_claim.hpp) completes the new state. If it is killed during 2,
// for some ten microseconds per flush, only Talus can read the file until then.
//
// HDF5 cannot close a file after a failed write. So a write always reports success. After a failed
// system call the file is not changed any more, changes are kept in memory, and every flush fails.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/journal_file.hpp"
#include "io/hdf5/read_lock.hpp"
#include "io/hdf5/write_claim.hpp"

namespace talus::hdf5 {

// Must outlive the handles of its file.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Creates a file, or empties an existing one. It is written without a journal until start().
  Handle create(const std::filesystem::path& file);
  Handle open(const std::filesystem::path& file);  // for writing

  // From now on the file changes only by complete flushes.
  void start(WriteClaim claim);

  // From now on rows of tables are written at once, while the metadata of HDF5 waits for a flush.
  // This is safe as long as rows are only added: no reader sees them before the metadata refers to
  // them.
  void let_rows_pass() { rows_pass_ = true; }

  // Whether a flush may wait in memory while a program reads the file (read_lock.hpp). Only while
  // rows pass.
  void let_readers_finish(bool let) { readers_finish_ = let; }
  bool is_in_file() const { return held_.empty(); }  // everything that was flushed

  // Call it before the handles of the file are closed: from now on a failed flush reports no error.
  // Otherwise HDF5 would keep the file open, half freed, and crash at the end of the program.
  void close_regardless() { closing_ = true; }

 private:
  struct Driver;
  friend struct Driver;

  // Runs f, which changes the file, unless an earlier change failed.
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
  haddr_t kept_ = 0;  // length of the file at the last flush; bytes below it are held back
  haddr_t length_ = 0;
  bool rows_pass_ = false, readers_finish_ = false, closing_ = false;
  std::string trouble_;  // the first error; empty if there was none
  ReaderWatch readers_;
  JournalPages held_;
};

}  // namespace talus::hdf5
