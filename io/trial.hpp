// A stranger's file can crash the HDF5 library itself (seen with 1.10.8: a flipped byte in a header
// makes it copy from nowhere, divide by zero or loop). So such a file is first read by a child
// process, whose death costs nothing, and only then by the program.
#pragma once

#include <functional>

namespace talus {

// Runs `attempt` in a child process with at most that much processor time. False when the child was
// killed by a signal or complained on standard error, as HDF5 does when it finds itself in
// disorder; an exception is an orderly end. The results are lost: run it again.
bool survives(const std::function<void()>& attempt, double processor_seconds);

}  // namespace talus
