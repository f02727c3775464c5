// Loaded before the program (LD_PRELOAD): once the file named by BAD_ALLOC_ONCE is there, no thread
// but the first gets memory any more.
#include <unistd.h>

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  static const char* const sign = std::getenv("BAD_ALLOC_ONCE");
  if (gettid() != getpid() && sign && access(sign, F_OK) == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
