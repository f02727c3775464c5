// SPDX-License-Identifier: Apache-2.0
// Reads /shapes of a trajectory. Include it from .cpp files of io/ only.
#pragma once

#include <vector>

#include "io/hdf5/hdf5_file.hpp"
#include "io/trajectory/stored_shapes.hpp"

namespace talus {

// Throws Failure if tables do not fit together.
std::vector<StoredShape> read_shapes(hid_t file);

}  // namespace talus
