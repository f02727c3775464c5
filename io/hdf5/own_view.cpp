// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/own_view.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>

#include "io/hdf5/hdf5_data.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>  // file drivers are declared there since 1.13
#endif

namespace talus::hdf5 {

namespace {

// Without a function to compare files, HDF5 takes each for another.
struct OwnView : H5FD_t {
  int descriptor = -1;
  haddr_t end = 0;     // of the allocated address space
  haddr_t length = 0;  // of the file when it was opened

  ~OwnView() {
    if (descriptor >= 0) ::close(descriptor);
  }
  static OwnView& of(H5FD_t* file) { return *static_cast<OwnView*>(file); }
  static const OwnView& of(const H5FD_t* file) { return *static_cast<const OwnView*>(file); }

  static herr_t refuse(const char* why) {
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_READERROR, "%s",
             why);
    return -1;
  }

  static H5FD_t* open(const char* name, unsigned flags, hid_t, haddr_t) {
    auto view = std::make_unique<OwnView>();
    struct stat status {};
    if (flags == H5F_ACC_RDONLY) view->descriptor = ::open(name, O_RDONLY | O_CLOEXEC);
    if (view->descriptor < 0 || fstat(view->descriptor, &status) != 0) {
      refuse(std::strerror(errno));
      return nullptr;
    }
    view->length = static_cast<haddr_t>(status.st_size);
    return view.release();
  }

  static herr_t close(H5FD_t* file) {
    const std::unique_ptr<OwnView> view(&of(file));
    return 0;
  }

  static herr_t query(const H5FD_t*, unsigned long* flags) {
    if (flags) *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
  }

  static haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
  static herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).end = end;
    return 0;
  }
  static haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return of(file).length; }

  // Bytes beyond the end of the file are zeros, as HDF5 expects.
  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                     void* buffer) {
    char* to = static_cast<char*>(buffer);
    while (size > 0) {
      const ssize_t count = pread(of(file).descriptor, to, size, static_cast<off_t>(address));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return refuse(std::strerror(errno));
      if (count == 0) break;
      to += count;
      address += static_cast<haddr_t>(count);
      size -= static_cast<std::size_t>(count);
    }
    std::memset(to, 0, size);
    return 0;
  }

  static herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
    return refuse("the file is open for reading");
  }
};

hid_t own_view_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
    c.version = H5FD_CLASS_VERSION;
    c.value = 510;  // in the range reserved for private drivers
#endif
    c.name = "talus_own_view";
    c.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    c.fc_degree = H5F_CLOSE_WEAK;
    c.open = OwnView::open;
    c.close = OwnView::close;
    c.query = OwnView::query;
    c.get_eoa = OwnView::get_eoa;
    c.set_eoa = OwnView::set_eoa;
    c.get_eof = OwnView::get_eof;
    c.read = OwnView::read;
    c.write = OwnView::write;
    const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kinds), std::end(kinds), c.fl_map);
    return c;
  }();
  static const hid_t id = check(H5FDregister(&driver), "prepare a driver for reading");
  return id;
}

}  // namespace

void take_own_view(hid_t properties) {
  check(H5Pset_driver(properties, own_view_driver(), nullptr), "prepare a driver for reading");
}

}  // namespace talus::hdf5
