// SPDX-License-Identifier: Apache-2.0
// Columns of a trajectory file, whichever minor version of the format it has: a column that came
// later is made up (format_version.hpp). Include it from .cpp files of io/ only.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/hdf5_data.hpp"
#include "io/trajectory/format_version.hpp"

namespace talus {

struct StoredColumns {
  hid_t file;
  std::int32_t minor_version;  // of the file

  // Why the file does not have a column, or null if it has, or should have.
  const AddedColumn* absent(const std::string& path) const {
    const AddedColumn* const added = added_since(path, minor_version);
    return added != nullptr && !hdf5::exists(file, path) ? added : nullptr;
  }

  hsize_t rows(const std::string& path, hsize_t if_absent) const {
    return absent(path) != nullptr ? if_absent : hdf5::extent(file, path).rows;
  }

  template <class T>
  std::vector<T> read(const std::string& path, int width, hsize_t first, hsize_t count) const {
    if (const AddedColumn* const added = absent(path))
      return std::vector<T>(count * static_cast<hsize_t>(width), value_before<T>(*added));
    return hdf5::read_rows<T>(file, path, width, first, count);
  }

  template <class T>
  std::vector<T> read_all(const std::string& path, int width, hsize_t rows_if_absent) const {
    return read<T>(path, width, 0, rows(path, rows_if_absent));
  }
};

}  // namespace talus
