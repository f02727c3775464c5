// SPDX-License-Identifier: Apache-2.0
// Checksum of the contents of a part of an HDF5 file: names, types, extents and values of groups,
// datasets and attributes. For growing datasets, only the constant properties count. Include it
// from .cpp files of io/ only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "io/hdf5/hdf5_file.hpp"
#include "io/text/digest.hpp"

namespace talus::hdf5 {

// Traverses a file. An object that is reached again by another link is represented by its first
// name.
class ContentWalk {
 public:
  // Whether an object or an attribute (path@name) is skipped.
  using LeftOut = std::function<bool(const std::string& name)>;

  explicit ContentWalk(LeftOut left_out) : left_out_(std::move(left_out)) {}

  void add_attributes(Digest& digest, hid_t object, const std::string& path) const;
  void add_group(Digest& digest, hid_t group, const std::string& path);  // and all below it

 private:
  LeftOut left_out_;
  std::map<std::string, std::string> seen_;  // identity → path where it was first found
};

// Adds the values of the first `rows` rows of a dataset.
void add_rows(Digest& digest, hid_t dataset, hsize_t rows);

}  // namespace talus::hdf5
