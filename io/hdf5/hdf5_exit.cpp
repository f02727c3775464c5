// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_exit.hpp"

#include <hdf5.h>

namespace talus {

void leave_hdf5_at_exit() { H5dont_atexit(); }

}  // namespace talus
