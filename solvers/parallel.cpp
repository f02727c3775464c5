#include "solvers/parallel.hpp"

#include <omp.h>

#include <cassert>

namespace talus {

namespace {
int thread_count = 1;
}

void set_threads(int count) {
  assert(count >= 1 && "a run needs a thread");
  thread_count = count;
}

int threads() { return thread_count; }

void detail::run_chunks(std::size_t chunks, ChunkBody body, void* context) {
  if (thread_count == 1 || chunks < 2) {
    for (std::size_t c = 0; c < chunks; ++c) body(context, c);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count)
  for (std::size_t c = 0; c < chunks; ++c) body(context, c);
}

}  // namespace talus
