// HDF5 files may point outside themselves: links to other files, datasets whose values lie in
// another file (external storage) or are composed of others (virtual datasets), and filters that
// are loaded as plug-ins. A file that comes from others would have the program read or write what
// its user did not name.
#pragma once

#include "io/hdf5_file.hpp"

namespace talus::hdf5 {

// Throws Failure where anything in the file leads outside of it.
void refuse_outside(hid_t file);

void load_no_plugins();  // from now on

}  // namespace talus::hdf5
