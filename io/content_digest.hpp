// Digest of what a reader finds in a part of an HDF5 file: names, types, extents and values of
// groups, datasets and attributes. Of datasets that grow only what does not change. Include it from
// .cpp files of io/ only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "io/digest.hpp"
#include "io/hdf5_file.hpp"

namespace talus::hdf5 {

// A walk through a file. An object that is met again by another link counts by its first name.
class ContentWalk {
 public:
  // Whether an object or an attribute (path@name) is left out.
  using LeftOut = std::function<bool(const std::string& name)>;

  explicit ContentWalk(LeftOut left_out) : left_out_(std::move(left_out)) {}

  void add_attributes(Digest& digest, hid_t object, const std::string& path) const;
  void add_group(Digest& digest, hid_t group, const std::string& path);  // and all below it

 private:
  LeftOut left_out_;
  std::map<std::string, std::string> seen_;  // objects by identity, and where they were first met
};

// Values of the first rows of a dataset, as they come.
void add_rows(Digest& digest, hid_t dataset, hsize_t rows);

}  // namespace talus::hdf5
