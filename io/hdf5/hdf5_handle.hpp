// SPDX-License-Identifier: Apache-2.0
// RAII owners for HDF5 identifiers and for its error printing. Include it from .cpp files of io/
// only, so that code that uses io does not depend on HDF5.
#pragma once

#include <hdf5.h>

#include <utility>

namespace talus {

// Switches off the error stack that HDF5 prints on every failed call, for the lifetime of the
// object. The caller reports the error in one line.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// An open file, group, dataset, dataspace, type or property list, closed when it goes out of scope.
// A failed HDF5 call gives a negative identifier; the handle then tests false.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() { reset(); }

  hid_t get() const { return id_; }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

  // Closes now; false when HDF5 could not (for a file: when its last bytes could not be written).
  bool reset() {
    if (id_ < 0) return true;
    const Hdf5Silence silence;
    return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace talus
