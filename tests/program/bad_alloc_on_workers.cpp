// SPDX-License-Identifier: Apache-2.0
// Loaded before the program (LD_PRELOAD): once the file named by BAD_ALLOC_ONCE is there, no thread
// but the first gets memory, until one was refused it. The first one waits a little whenever it
// wants as much as the arrays of a loop need, so that on a busy machine, too, the others come to
// their share of the work. It does not wait for the many small pieces of names and files, which it
// wants before the first loop.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t array_size = 1024;  // [B]
constexpr useconds_t wait = 2000;         // [µs]
std::atomic<int> waits_left = 4000;
std::atomic<bool> refused = false;

}  // namespace

void* operator new(std::size_t size) {
  static const char* const sign = std::getenv("BAD_ALLOC_ONCE");
  if (!refused && sign && access(sign, F_OK) == 0) {
    if (gettid() != getpid()) {
      refused = true;
      throw std::bad_alloc();
    }
    if (size >= array_size && waits_left-- > 0) usleep(wait);
  }
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
