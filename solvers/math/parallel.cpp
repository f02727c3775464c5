// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/parallel.hpp"

#include <omp.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "solvers/math/worker_threads.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace talus {

namespace {

thread_local int thread_count = 1;

void pause_briefly() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

// A work-stealing thread pool without locks. Every thread has a queue, its lot: a range of the
// loop's chunks. In the next loop it gets the same range, whose data are still in its cache. A
// thread that has emptied its own lot steals from the others.
//
// The ticket of a lot holds the number of the loop and the number of chunks left in the lot; a
// thread that decrements it owns a chunk. At zero nothing can be taken until the next loop is
// announced, so a late thread takes nothing that is not its loop's.
class Team {
 public:
  explicit Team(int threads) : lots_(static_cast<std::size_t>(threads)) {}

  int size() const { return static_cast<int>(lots_.size()); }

  void run(std::size_t chunks, detail::ChunkBody body, void* context) {
    assert(chunks <= 0xffffffffu && "the count of a ticket");
    body_.store(body, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    chunks_.store(chunks, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    announce([&](std::size_t lot) { return end_of(lot, chunks) - end_of(lot - 1, chunks); });
    work(0);
    for (int spins = 0; done_.load(std::memory_order_acquire) < chunks; ++spins) {
      wait_a_little(spins);
    }
  }

  // What every thread but the first does until finish().
  void attend(std::size_t thread) {
    // Polls its own lot only: polling the others would move their cache lines between cores.
    const std::atomic<std::uint64_t>& own = lots_[thread].ticket;
    std::uint64_t last_loop = 0;
    int spins = 0;
    while (!finished_.load(std::memory_order_acquire)) {
      const std::uint64_t now = own.load(std::memory_order_acquire);
      if (now >> 32 != last_loop) {
        last_loop = now >> 32;
        work(thread);
        spins = 0;
      } else if (spins < spins_before_sleep) {
        wait_a_little(spins++);
      } else {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        if (!finished_.load(std::memory_order_seq_cst)) own.wait(now);
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      }
    }
  }

  void finish() {
    finished_.store(true, std::memory_order_seq_cst);
    announce([](std::size_t) { return std::size_t{0}; });
    for (Lot& lot : lots_) lot.ticket.notify_all();
  }

 private:
  static constexpr int spins_before_yield = 200;
  static constexpr int spins_before_sleep = 2000;

  struct alignas(64) Lot {
    std::atomic<std::uint64_t> ticket{0};
  };

  // Waiting threads give way soon: on a machine with other work, spinning would take the very
  // processor that is waited for.
  static void wait_a_little(int spins) {
    if (spins < spins_before_yield) {
      pause_briefly();
    } else {
      std::this_thread::yield();
    }
  }

  // First chunk behind a lot; 0 for the one before the first, whose number wraps around.
  std::size_t end_of(std::size_t lot, std::size_t chunks) const {
    return (lot + 1) * chunks / lots_.size();
  }

  template <class Count>
  void announce(Count chunks_of) {
    const std::uint64_t loop = (lots_.front().ticket.load(std::memory_order_relaxed) >> 32) + 1;
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      lots_[lot].ticket.store(loop << 32 | chunks_of(lot), std::memory_order_seq_cst);
    }
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    for (Lot& lot : lots_) lot.ticket.notify_all();
  }

  void work(std::size_t thread) {
    std::size_t done = 0;
    for (std::size_t k = 0; k < lots_.size(); ++k) done += take_from((thread + k) % lots_.size());
    if (done > 0) done_.fetch_add(done, std::memory_order_release);
  }

  // How many chunks it took.
  std::size_t take_from(std::size_t lot) {
    std::atomic<std::uint64_t>& tickets = lots_[lot].ticket;
    std::size_t taken = 0;
    std::uint64_t ticket = tickets.load(std::memory_order_acquire);
    while (const std::size_t left = ticket & 0xffffffffu) {
      const std::size_t chunks = chunks_.load(std::memory_order_relaxed);
      const detail::ChunkBody body = body_.load(std::memory_order_relaxed);
      void* const context = context_.load(std::memory_order_relaxed);
      // If this succeeds the loop was not over, so what was just read belongs to it.
      if (tickets.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        body(context, end_of(lot, chunks) - left);
        ++taken;
        ticket = tickets.load(std::memory_order_acquire);
      }
    }
    return taken;
  }

  std::vector<Lot> lots_;
  alignas(64) std::atomic<std::size_t> done_{0};
  alignas(64) std::atomic<std::size_t> chunks_{0};
  std::atomic<detail::ChunkBody> body_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> finished_{false};
};

thread_local Team* team = nullptr;      // led by this thread
thread_local bool inside_loop = false;  // this thread runs a chunk

// A loop whose chunks may throw on any thread. The exception that reaches the caller is that of the
// first chunk that throws, as in a serial loop: chunks behind one that threw are skipped, chunks
// before it are not.
class GuardedLoop {
 public:
  GuardedLoop(detail::ChunkBody body, void* context) : body_(body), context_(context) {}

  void run(std::size_t chunk) noexcept {
    if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
    inside_loop = true;
    try {
      body_(context_, chunk);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (chunk < failed_chunk_.load(std::memory_order_relaxed)) {
        failed_chunk_.store(chunk, std::memory_order_relaxed);
        thrown_ = std::current_exception();
      }
    }
    inside_loop = false;
  }

  void rethrow() {  // on the calling thread, after the loop
    if (thrown_) std::rethrow_exception(std::move(thrown_));
  }

 private:
  detail::ChunkBody body_;
  void* context_;
  std::atomic<std::size_t> failed_chunk_{std::numeric_limits<std::size_t>::max()};
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace

void set_threads(int count) {
  assert(count >= 1 && "a run needs a thread");
  thread_count = count;
}

int threads() { return thread_count; }

void end_worker_threads() { omp_pause_resource_all(omp_pause_soft); }

void detail::run_chunks(std::size_t chunks, ChunkBody body, void* context) {
  if (thread_count == 1 || chunks < 2 || inside_loop) {
    for (std::size_t c = 0; c < chunks; ++c) body(context, c);
    return;
  }
  GuardedLoop loop(body, context);
  if (team && team->size() == thread_count) {
    team->run(
        chunks, [](void* data, std::size_t chunk) { static_cast<GuardedLoop*>(data)->run(chunk); },
        &loop);
  } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count)
    for (std::size_t c = 0; c < chunks; ++c) loop.run(c);
  }
  loop.rethrow();
}

void detail::run_team(void (*body)(void* context), void* context) {
  if (thread_count == 1 || team || inside_loop) {
    body(context);
    return;
  }
  Team shared(thread_count);
  std::exception_ptr thrown;  // must not leave a parallel region by itself
#pragma omp parallel num_threads(thread_count)
  {
    if (omp_get_thread_num() == 0) {
      team = &shared;
      try {
        body(context);
      } catch (...) {
        thrown = std::current_exception();
      }
      team = nullptr;
      shared.finish();
    } else {
      shared.attend(static_cast<std::size_t>(omp_get_thread_num()));
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace talus
