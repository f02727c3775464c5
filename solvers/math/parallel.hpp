// SPDX-License-Identifier: Apache-2.0
// A thread pool, with results that do not depend on the number of threads: work is cut into chunks
// of a fixed length whatever the thread count, and sums are taken in chunk order. What a chunk
// throws on any thread reaches the caller of the loop; of several exceptions, that of the first
// chunk. The only OpenMP of the tree is in parallel.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace talus {

// How many threads the loops that the calling thread meets run on. Every thread of a program has a
// number of its own, at first 1.
void set_threads(int count);  // ≥ 1
int threads();

// Another number for a while.
class ThreadCount {
 public:
  explicit ThreadCount(int count) : before_(threads()) { set_threads(count); }
  ~ThreadCount() { set_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

namespace detail {
using ChunkBody = void (*)(void* context, std::size_t chunk);
void run_chunks(std::size_t chunks, ChunkBody body, void* context);
void run_team(void (*body)(void* context), void* context);
}  // namespace detail

// Runs f() with the threads held ready, so that a parallel loop inside it costs about a microsecond
// to start; where no loop comes for a while they sleep. For a whole run, or for work made of many
// short loops; nothing else changes. A parallel loop inside another one runs on the thread that
// meets it, and so does a team within a team.
template <class F>
void parallel_team(F f) {
  detail::run_team([](void* data) { (*static_cast<F*>(data))(); }, &f);
}

constexpr std::size_t chunk_length = 1024;  // of sums, whose last bits depend on it

// Of loops that give the same however they are cut: short, so that all threads are done at about
// the same time.
constexpr std::size_t stretch_length = 256;

// Loops over fewer items than this are done by the thread that meets them: to wake another one
// takes longer.
constexpr std::size_t worth_sharing = 4 * chunk_length;

// Calls f(chunk, first, last) for consecutive chunks of [0, count).
template <class F>
void parallel_chunks(std::size_t count, F&& f, std::size_t length = chunk_length) {
  if (count == 0) return;
  struct Context {
    F& f;
    std::size_t count, length;
  } context{f, count, length};
  detail::run_chunks((count + length - 1) / length,
                     [](void* data, std::size_t chunk) {
                       auto& c = *static_cast<Context*>(data);
                       const std::size_t first = chunk * c.length;
                       const std::size_t last =
                           first + c.length < c.count ? first + c.length : c.count;
                       c.f(chunk, first, last);
                     },
                     &context);
}

// Calls f(first, last) for stretches that make up [0, count): for loops that carry something along
// without which the result is the same.
template <class F>
void parallel_stretches(std::size_t count, F&& f) {
  if (count == 0) return;
  if (count < worth_sharing) return f(std::size_t{0}, count);
  parallel_chunks(
      count, [&](std::size_t, std::size_t first, std::size_t last) { f(first, last); },
      stretch_length);
}

template <class F>
void parallel_for(std::size_t count, F&& f) {
  parallel_stretches(count, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) f(i);
  });
}

// Σ f(first, last) over consecutive chunks of [0, count), added with += in chunk order.
template <class Sum, class F>
Sum parallel_total(std::size_t count, F&& f) {
  Sum total{};
  if (count < worth_sharing) {
    for (std::size_t first = 0; first < count; first += chunk_length) {
      total += f(first, first + chunk_length < count ? first + chunk_length : count);
    }
    return total;
  }
  static thread_local std::vector<Sum> room;  // kept, so that later sums allocate nothing
  room.resize((count + chunk_length - 1) / chunk_length);
  const std::span<Sum> partial = room;  // this thread's instance, for all threads
  parallel_chunks(count, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    partial[chunk] = f(first, last);
  });
  for (const Sum& part : partial) total += part;
  return total;
}

// Σ f(i), added within each chunk first and then in chunk order.
template <class F>
double parallel_sum(std::size_t count, F&& f) {
  return parallel_total<double>(count, [&](std::size_t first, std::size_t last) {
    double result = 0;
    for (std::size_t i = first; i < last; ++i) result += f(i);
    return result;
  });
}

// The i in [0, count) for which wanted(i), in their order.
template <class F>
void parallel_list(std::size_t count, F&& wanted, std::vector<int>& list) {
  if (threads() == 1 || count < worth_sharing) {
    list.clear();
    for (std::size_t i = 0; i < count; ++i)
      if (wanted(i)) list.push_back(static_cast<int>(i));
    return;
  }
  static thread_local std::vector<std::size_t> room;  // kept, so that later lists allocate nothing
  room.assign((count + chunk_length - 1) / chunk_length + 1, 0);
  const std::span<std::size_t> starts = room;  // this thread's instance, for all threads
  parallel_chunks(count, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    std::size_t here = 0;
    for (std::size_t i = first; i < last; ++i) here += wanted(i) ? 1 : 0;
    starts[chunk + 1] = here;
  });
  for (std::size_t chunk = 1; chunk < starts.size(); ++chunk) starts[chunk] += starts[chunk - 1];
  list.resize(starts.back());
  parallel_chunks(count, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    std::size_t next = starts[chunk];
    for (std::size_t i = first; i < last; ++i)
      if (wanted(i)) list[next++] = static_cast<int>(i);
  });
}

}  // namespace talus
