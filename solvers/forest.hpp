// Which bodies hang together, found by several threads.
#pragma once

#include <atomic>
#include <span>
#include <utility>

#include "solvers/index.hpp"

namespace talus {

// Sets of bodies that several threads join at a time. Each is under the least of its members in the
// end, whichever thread came first.
class Forest {
 public:
  explicit Forest(std::span<int> parents) : parents_(parents) {}

  void join(int a, int b) {
    while (true) {
      a = find_root(a);
      b = find_root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      int still_root = a;  // unless another thread has joined it in between
      if (parent(a).compare_exchange_strong(still_root, b, std::memory_order_relaxed)) return;
    }
  }
  void settle(int body) { parent(body).store(find_root(body), std::memory_order_relaxed); }

 private:
  std::atomic_ref<int> parent(int body) { return std::atomic_ref(parents_[at(body)]); }

  int find_root(int body) {
    while (true) {
      const int above = parent(body).load(std::memory_order_relaxed);
      if (above == body) return body;
      const int next = parent(above).load(std::memory_order_relaxed);
      if (next == above) return above;
      parent(body).store(next, std::memory_order_relaxed);  // shortens the way for others
      body = next;
    }
  }

  std::span<int> parents_;
};

}  // namespace talus
