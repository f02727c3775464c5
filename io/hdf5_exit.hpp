// How a program that writes trajectories ends.
#pragma once

namespace talus {

// HDF5 closes what is still open when a process ends, and crashes over a file whose disk is gone.
// Talus closes its files itself and says what it could not write, so a program can do without.
// Call it before anything else that reads or writes files.
void leave_hdf5_at_exit();

}  // namespace talus
