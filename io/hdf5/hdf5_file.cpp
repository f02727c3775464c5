// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/hdf5/hdf5_outside.hpp"
#include "io/hdf5/own_view.hpp"

namespace talus::hdf5 {

namespace {

herr_t keep_first(unsigned index, const H5E_error2_t* entry, void* text) {
  if (index == 0 && entry->desc) *static_cast<std::string*>(text) = entry->desc;
  return 0;
}

std::string innermost_cause() {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
  // The file driver says: "file write failed: time = …, errno = 28, error message = 'No space left
  // on device', buf = …". Only the part between the quotes is shown to users.
  const std::string label = "error message = '";
  if (const auto start = cause.find(label); start != std::string::npos) {
    const auto first = start + label.size();
    return cause.substr(first, cause.find('\'', first) - first);
  }
  return cause.empty() ? "HDF5 gives no reason" : cause;
}

int descriptor(hid_t file) {
  void* handle = nullptr;
  check(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), "look up the file descriptor");
  return *static_cast<int*>(handle);
}

}  // namespace

Handle access_properties() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), "prepare file access");
  check(H5Pset_file_locking(properties, false, true), "switch off file locking");
  // Keeps the metadata of HDF5 together, so that few pages change.
  constexpr hsize_t piece = 1u << 19;
  check(H5Pset_meta_block_size(properties, piece), "take space in large pieces");
  check(H5Pset_small_data_block_size(properties, piece), "take space in large pieces");
  return properties;
}

void fail(const std::string& action) { throw Failure(action + ": " + innermost_cause()); }

Handle create_file(const std::filesystem::path& path) {
  const Handle access = access_properties();
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "create the file", H5Fclose};
}

Handle open_file(const std::filesystem::path& path, Access access) {
  load_no_plugins();
  const Handle properties = access_properties();
  if (H5Fis_hdf5(path.c_str()) == 0) throw Failure("not an HDF5 file");
  const unsigned flags = access == Access::write ? H5F_ACC_RDWR : H5F_ACC_RDONLY;
  if (access == Access::read) take_own_view(properties);
  Handle file(H5Fopen(path.c_str(), flags, properties), "open the file", H5Fclose);
  refuse_outside(file);
  return file;
}

void flush(hid_t file) { check(H5Fflush(file, H5F_SCOPE_LOCAL), "flush the file"); }

void reserve(hid_t file, std::uint64_t bytes) {
  hsize_t size = 0;
  check(H5Fget_filesize(file, &size), "ask for the file's size");
  const int fd = descriptor(file);

  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size + bytes > limit.rlim_cur)
    throw Failure(std::strerror(EFBIG));

  if (fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size), static_cast<off_t>(bytes)) == 0)
    return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) throw Failure(std::strerror(errno));
  // Not every file system can reserve blocks (fallocate). Then the space that is free now must
  // suffice.
  struct statvfs disk {};
  if (fstatvfs(fd, &disk) == 0 && disk.f_frsize > 0 && disk.f_bavail < bytes / disk.f_frsize + 1)
    throw Failure(std::strerror(ENOSPC));
}

void UnusedSpace::watch(hid_t file) { descriptor_ = dup(descriptor(file)); }

UnusedSpace::~UnusedSpace() {
  if (descriptor_ < 0) return;
  struct stat status {};
  // Truncating a file to its present length frees the blocks beyond its end.
  if (fstat(descriptor_, &status) == 0 && ftruncate(descriptor_, status.st_size) != 0) errno = 0;
  close(descriptor_);
}

void synchronise(hid_t file) {
  flush(file);
  if (fsync(descriptor(file)) != 0) throw Failure(std::strerror(errno));
}

}  // namespace talus::hdf5
