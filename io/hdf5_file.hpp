// HDF5 files, and HDF5 failures as exceptions of one line. Include it from .cpp files of io/ only.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "io/hdf5_handle.hpp"

namespace talus::hdf5 {

// What the library complained about, in the words of the innermost cause.
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

// An owner of something that could be opened; what could not is a Failure.
class Handle : public Hdf5Handle {
 public:
  Handle() = default;
  Handle(hid_t id, const std::string& action, Close close = H5Idec_ref)
      : Hdf5Handle(check(id, action), close) {}
};

enum class Access { read, write };

Handle access_properties();  // of all our files

// Files are opened without a lock, so that one can be looked at while a run writes it, and created
// in the earliest format, which every reader knows.
Handle create_file(const std::filesystem::path& path);  // an existing file is emptied
// A file that leads outside of itself (hdf5_outside.hpp) is a Failure.
Handle open_file(const std::filesystem::path& path, Access access);

void flush(hid_t file);

// Makes sure that the file can grow by this many bytes. A write that fails half-way leaves a file
// that no longer opens; asked beforehand, a full disk costs no more than the frame to come.
void reserve(hid_t file, std::uint64_t bytes);

// Gives back what was reserved and not needed. Must outlive the handles of the file, so that it
// acts when all is written.
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

// Waits until the file is on the disk, safe from a power failure.
void synchronise(hid_t file);

}  // namespace talus::hdf5
