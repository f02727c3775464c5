// SPDX-License-Identifier: Apache-2.0
// Validates the metadata of a file (groups, datasets, chunk indices) before it is used.
#pragma once

#include "io/hdf5/hdf5_file.hpp"

namespace talus::hdf5 {

// Opens every group and dataset below the root and walks through their chunk indices. Damage that
// would crash HDF5 when it reads some row crashes it here. So a trial (trial.hpp) that runs this
// survey need not read every row. Inconsistent metadata is a Failure. Missing objects are not,
// since they may never be needed. The time depends on the size of the metadata, not of the data.
void survey(hid_t file);

}  // namespace talus::hdf5
