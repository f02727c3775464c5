// SPDX-License-Identifier: Apache-2.0
// Counting sort by several threads: contacts by line, by block, by body.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

// Threads count and place a share of the items each, after those that shares before it have of the
// same key. So items of one key stay in their order, whatever the number of shares.
class CountingSort {
 public:
  // How many of `count` items have each key; key_of(k) in [0, keys), or negative: left out.
  template <class KeyOf>
  void count(std::size_t count, std::size_t keys, KeyOf key_of) {
    assert(count <= at(std::numeric_limits<int>::max()) && "items are numbered in four bytes");
    keys_ = keys;
    stride_ = (keys + 2 * line_length - 1) / line_length * line_length;
    shares_ = shares_for(count);
    counts_.resize(shares_ * stride_);
    each_share(count, [&](std::size_t share, std::size_t first, std::size_t last) {
      int* const counts = counts_.data() + share * stride_;
      std::fill(counts, counts + keys, 0);
      for (std::size_t k = first; k < last; ++k) {
        const int key = key_of(k);
        assert((key < 0 || at(key) < keys) && "a key in range");
        if (key >= 0) ++counts[key];
      }
    });
  }
  // After count(), not after sort().
  int counted(std::size_t key) const {
    int total = 0;
    for (std::size_t share = 0; share < shares_; ++share) total += counts_[share * stride_ + key];
    return total;
  }

  // Sorts item_of(0), item_of(1), … by key_of(k).
  template <class ItemOf, class KeyOf>
  void sort(std::size_t count, std::size_t keys, ItemOf item_of, KeyOf key_of) {
    this->count(count, keys, key_of);
    start_.resize(keys + 1);
    const std::span<int> starts_of_shares = find_starts();
    sorted_.resize(at(start_.back()));
    each_share(count, [&](std::size_t share, std::size_t first, std::size_t last) {
      int* const next = starts_of_shares.data() + share * stride_;
      for (std::size_t k = first; k < last; ++k) {
        const int key = key_of(k);
        if (key >= 0) sorted_[at(next[key]++)] = item_of(k);
      }
    });
  }
  // After sort().
  std::span<const int> sorted() const { return sorted_; }
  std::span<const int> with_key(std::size_t key) const { return with_keys(key, key + 1); }
  std::span<const int> with_keys(std::size_t first, std::size_t last) const {
    return sorted().subspan(at(start_[first]), at(start_[last] - start_[first]));
  }

 private:
  static constexpr std::size_t most_shares = 8;
  static constexpr std::size_t line_length = 16;  // numbers a cache line has room for

  // Each share has counts of all keys, which cost about as much as half an item.
  std::size_t shares_for(std::size_t count) const {
    if (count < worth_sharing) return 1;
    const std::size_t worthwhile =
        std::max<std::size_t>(2 * count / std::max<std::size_t>(keys_, 1), 1);
    return std::min({worthwhile, at(threads()), most_shares});
  }

  template <class F>
  void each_share(std::size_t count, F f) {
    parallel_chunks(
        shares_,
        [&](std::size_t share, std::size_t, std::size_t) {
          f(share, count * share / shares_, count * (share + 1) / shares_);
        },
        1);
  }

  // Turns the counts of every share into where its items of each key begin.
  std::span<int> find_starts() {
    std::size_t begins[most_shares + 1] = {};  // items whose keys are in earlier shares of the keys
    each_share(keys_, [&](std::size_t part, std::size_t first, std::size_t last) {
      std::size_t here = 0;
      for (std::size_t key = first; key < last; ++key) here += at(counted(key));
      begins[part + 1] = here;
    });
    for (std::size_t part = 0; part < shares_; ++part) begins[part + 1] += begins[part];
    each_share(keys_, [&](std::size_t part, std::size_t first, std::size_t last) {
      int next = static_cast<int>(begins[part]);
      for (std::size_t key = first; key < last; ++key) {
        start_[key] = next;
        for (std::size_t share = 0; share < shares_; ++share) {
          int& start = counts_[share * stride_ + key];
          next += std::exchange(start, next);
        }
      }
    });
    start_[keys_] = static_cast<int>(begins[shares_]);
    return counts_;
  }

  std::size_t keys_ = 0, shares_ = 0;
  std::size_t stride_ = 0;   // of shares in counts_: no two have counts in one cache line
  std::vector<int> counts_;  // by share, then by key
  std::vector<int> start_, sorted_;
};

}  // namespace talus
