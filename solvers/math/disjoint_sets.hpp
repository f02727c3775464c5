// SPDX-License-Identifier: Apache-2.0
// Disjoint sets (union-find), joined by several threads at a time without locks.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

// A set is named by the least of its members, whichever thread came first. Keeps its array from one
// use to the next.
class DisjointSets {
 public:
  // Every one of the items is a set.
  void reset(std::size_t count) {
    parents_.resize(count);
    parallel_for(count, [&](std::size_t i) { parents_[i] = static_cast<int>(i); });
  }

  // May be called by several threads at a time.
  void join(int a, int b) {
    while (true) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      int still_root = a;  // unless another thread has joined it in between
      if (parent(a).compare_exchange_strong(still_root, b, std::memory_order_relaxed)) return;
    }
  }

  // The set of an item, with its path halved on the way.
  int find(int item) {
    while (true) {
      const int above = parent(item).load(std::memory_order_relaxed);
      if (above == item) return item;
      const int next = parent(above).load(std::memory_order_relaxed);
      if (next == above) return above;
      parent(item).store(next, std::memory_order_relaxed);
      item = next;
    }
  }

  // Once all are joined: sets() is then the set of every item.
  void settle() {
    parallel_for(parents_.size(), [&](std::size_t i) {
      const int item = static_cast<int>(i);
      parent(item).store(find(item), std::memory_order_relaxed);
    });
  }
  const std::vector<int>& sets() const { return parents_; }

 private:
  std::atomic_ref<int> parent(int item) { return std::atomic_ref(parents_[at(item)]); }

  std::vector<int> parents_;
};

}  // namespace talus
