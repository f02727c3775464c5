// SPDX-License-Identifier: Apache-2.0
// A file driver of HDF5 for reading. The default driver recognises a file that the process has open
// already and shares what it knows of it: then a file that has grown looks as it did before, and
// another user of the library in the process, such as h5py, is refused ("file locking flag values
// don't match"). With this driver every opening is a view of its own.
#pragma once

#include <hdf5.h>

namespace talus::hdf5 {

// For the access properties of H5Fopen with H5F_ACC_RDONLY.
void take_own_view(hid_t properties);

}  // namespace talus::hdf5
