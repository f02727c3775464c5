// SPDX-License-Identifier: Apache-2.0
// Switches off HDF5's exit handler (H5dont_atexit).
#pragma once

namespace talus {

// At the end of a process HDF5 closes everything that is still open, and crashes if the disk of a
// file is gone. Talus closes its files itself and reports what it could not write, so the handler
// is not needed. Call this before anything else that reads or writes files.
void leave_hdf5_at_exit();

}  // namespace talus
