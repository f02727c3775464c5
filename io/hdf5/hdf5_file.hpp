// SPDX-License-Identifier: Apache-2.0
// HDF5 files, and HDF5 failures as exceptions of one line. Include it from .cpp files of io/ only.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "io/hdf5/hdf5_handle.hpp"

namespace talus::hdf5 {

// An error of HDF5, with the message of the innermost cause.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const std::string& action);  // throws Failure("action: cause")

template <class Status>
Status check(Status status, const std::string& action) {
  if (status < 0) fail(action);
  return status;
}

// A handle that is always valid; a failed open is a Failure.
class Handle : public Hdf5Handle {
 public:
  Handle() = default;
  Handle(hid_t id, const std::string& action, Close close = H5Idec_ref)
      : Hdf5Handle(check(id, action), close) {}
};

enum class Access { read, write };

Handle access_properties();  // of all our files

// Files are opened without a lock, so that they can be read while a run writes them. They are
// created in the earliest format, which every reader knows.
Handle create_file(const std::filesystem::path& path);  // an existing file is emptied
// Throws Failure for a file that refers to other files (hdf5_outside.hpp).
Handle open_file(const std::filesystem::path& path, Access access);

void flush(hid_t file);

// Reserves disk space for this many more bytes. A write that fails half-way leaves a file that
// cannot be opened. With reserved space a full disk only costs the next frame.
void reserve(hid_t file, std::uint64_t bytes);

// Releases reserved space that was not needed. Must outlive the handles of the file, so that it
// acts after the last write.
class UnusedSpace {
 public:
  UnusedSpace() = default;
  UnusedSpace(const UnusedSpace&) = delete;
  UnusedSpace& operator=(const UnusedSpace&) = delete;
  ~UnusedSpace();
  void watch(hid_t file);

 private:
  int descriptor_ = -1;
};

// Waits until the file is on the disk (fsync), safe from a power failure.
void synchronise(hid_t file);

}  // namespace talus::hdf5
