// SPDX-License-Identifier: Apache-2.0
// The threads of parallel.hpp and fork().
#pragma once

namespace talus {

// Ends the threads that wait for the next loop of the calling thread; that loop starts new ones. To
// be called before a fork: the child has none of them, and its first loop would wait forever.
void end_worker_threads();

}  // namespace talus
