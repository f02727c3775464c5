#include "solvers/parallel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

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
