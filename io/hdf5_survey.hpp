// A look at everything in a file that says where its data are, before any of it is trusted.
#pragma once

#include "io/hdf5_file.hpp"

namespace talus::hdf5 {

// Opens every group and dataset below the root and walks through the index of chunks of each. What
// would crash HDF5 on the way to some row or other crashes it here, so that a trial (trial.hpp)
// which makes this survey need not read every row. What contradicts itself is a Failure; what is
// merely missing is not, since nobody may ever ask for it. The time is that of the file's tables of
// contents, not of its data.
void survey(hid_t file);

}  // namespace talus::hdf5
