// SPDX-License-Identifier: Apache-2.0
// HDF5 files may point outside themselves: links to other files, datasets whose values lie in
// another file (external storage) or are composed of others (virtual datasets), and filters that
// are loaded as plug-ins. An untrusted file could thus make the program read or write files that
// its user did not name.
#pragma once

#include "io/hdf5/hdf5_file.hpp"

namespace talus::hdf5 {

// Throws Failure if anything in the file refers to another file.
void refuse_outside(hid_t file);

void load_no_plugins();  // from now on

}  // namespace talus::hdf5
