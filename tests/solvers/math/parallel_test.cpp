// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

using namespace talus;

namespace {

struct Threads {
  explicit Threads(int count) { set_threads(count); }
  ~Threads() { set_threads(1); }
};

}  // namespace

TEST_CASE("a loop visits everything once, be it shared or not") {
  for (const int count : {1, 2, 5}) {
    const Threads threads(count);
    for (const std::size_t items : {std::size_t{0}, std::size_t{1}, worth_sharing - 1,
                                    worth_sharing, 10 * worth_sharing + 3}) {
      std::vector<int> visits(items, 0);
      parallel_for(items, [&](std::size_t i) { ++visits[i]; });
      parallel_team([&] { parallel_for(items, [&](std::size_t i) { ++visits[i]; }); });
      CHECK(visits == std::vector<int>(items, 2));
    }
  }
}

TEST_CASE("a sum has the same bits on any number of threads, be it shared or not") {
  for (const std::size_t items : {worth_sharing - 1, worth_sharing, 3 * worth_sharing + 7}) {
    const auto term = [](std::size_t i) { return std::sin(static_cast<double>(i)); };
    // Within chunks first, then chunk by chunk.
    double expected = 0;
    for (std::size_t first = 0; first < items; first += chunk_length) {
      double part = 0;
      for (std::size_t i = first; i < std::min(first + chunk_length, items); ++i) part += term(i);
      expected += part;
    }
    for (const int count : {1, 2, 7}) {
      const Threads threads(count);
      CHECK(parallel_sum(items, term) == expected);
    }
  }
}

TEST_CASE("what a team throws arrives outside, and the next team works") {
  const Threads threads(3);
  CHECK_THROWS_AS(parallel_team([] { throw std::runtime_error("a full disk"); }),
                  std::runtime_error);
  double sum = 0;
  parallel_team([&] { sum = parallel_sum(100000, [](std::size_t) { return 1.0; }); });
  CHECK(sum == 100000);
}

namespace {

// Runs `loop` alone, and inside a team.
template <class Loop>
void alone_and_in_a_team(Loop loop) {
  loop();
  parallel_team(loop);
}

// What a loop over chunks 0…count−1 throws if the chunks `bad` throw their number.
int thrown_by(std::size_t count, const std::vector<std::size_t>& bad) {
  try {
    parallel_chunks(count * chunk_length, [&](std::size_t chunk, std::size_t, std::size_t) {
      if (std::find(bad.begin(), bad.end(), chunk) != bad.end()) throw static_cast<int>(chunk);
    });
  } catch (int chunk) {
    return chunk;
  }
  return -1;
}

}  // namespace

TEST_CASE("what a chunk throws on any thread reaches the caller, the first chunk's first") {
  for (const int count : {1, 2, 5}) {
    const Threads threads(count);
    for (int repeat = 0; repeat < 50; ++repeat) {
      alone_and_in_a_team([] {
        CHECK(thrown_by(40, {39}) == 39);
        CHECK(thrown_by(40, {0}) == 0);
        CHECK(thrown_by(40, {38, 17, 21, 39}) == 17);
        CHECK(thrown_by(40, {}) == -1);
      });
    }
  }
}

TEST_CASE("an exception on a thread other than the caller's is caught like any other") {
  const Threads threads(2);
  const auto throw_on_a_worker = [] {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> thrown = false;
    parallel_chunks(
        2,
        [&](std::size_t, std::size_t, std::size_t) {
          if (std::this_thread::get_id() != caller) {
            thrown = true;
            throw std::bad_alloc();
          }
          while (!thrown) std::this_thread::yield();  // so that the other chunk is for the worker
        },
        1);
  };
  alone_and_in_a_team([&] { CHECK_THROWS_AS(throw_on_a_worker(), std::bad_alloc); });
}

TEST_CASE("loops that threw leave threads that work, nested loops and teams included") {
  const Threads threads(3);
  const auto bad_item = [](std::size_t i) {
    if (i == worth_sharing + 5) throw std::runtime_error("item " + std::to_string(i));
  };
  alone_and_in_a_team([&] {
    CHECK_THROWS_WITH(parallel_for(3 * worth_sharing, bad_item), "item 4101");
    // A loop inside a loop throws through both, as does a team inside one.
    const auto nested = [&](std::size_t) {
      parallel_team([&] { parallel_for(3 * worth_sharing, bad_item); });
    };
    CHECK_THROWS_WITH(parallel_for(worth_sharing, nested), "item 4101");
    CHECK_THROWS_WITH(parallel_sum(3 * worth_sharing,
                                   [&](std::size_t i) {
                                     bad_item(i);
                                     return 1.0;
                                   }),
                      "item 4101");
    // Still shared: two chunks that wait for each other end only on two threads.
    std::atomic<int> met = 0;
    parallel_chunks(
        2,
        [&](std::size_t, std::size_t, std::size_t) {
          for (++met; met < 2;) std::this_thread::yield();
        },
        1);
    CHECK(met == 2);
    CHECK(parallel_sum(100000, [](std::size_t) { return 1.0; }) == 100000);
  });
}

TEST_CASE("a list holds what was wanted, in its order, be it shared or not") {
  for (const int count : {1, 2, 5}) {
    const Threads threads(count);
    for (const std::size_t items : {std::size_t{0}, worth_sharing - 1, 3 * worth_sharing + 7}) {
      const auto wanted = [](std::size_t i) { return i % 7 == 0 || i / 100 == 60; };
      std::vector<int> expected, list = {-1, -1};  // what was there is gone
      for (std::size_t i = 0; i < items; ++i)
        if (wanted(i)) expected.push_back(static_cast<int>(i));
      parallel_list(items, wanted, list);
      CHECK(list == expected);
    }
  }
}
