#include "io/hdf5_exit.hpp"

#include <hdf5.h>

namespace talus {

void leave_hdf5_at_exit() { H5dont_atexit(); }

}  // namespace talus
