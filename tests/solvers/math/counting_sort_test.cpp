// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/counting_sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace talus;

namespace {

struct Given {
  std::vector<int> key;
  std::size_t keys;
};

Given random_keys(std::size_t count, int keys, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> any(-1, keys - 1);  // −1: left out
  Given given{std::vector<int>(count), static_cast<std::size_t>(keys)};
  for (int& key : given.key) key = any(random);
  return given;
}

// By the standard library: numbers of the items that have a key, in a stable sort by it.
std::vector<int> in_order(const Given& given) {
  std::vector<int> items;
  for (std::size_t k = 0; k < given.key.size(); ++k)
    if (given.key[k] >= 0) items.push_back(static_cast<int>(k));
  std::ranges::stable_sort(items, {}, [&](int item) { return given.key[at(item)]; });
  return items;
}

void sort(const Given& given, CountingSort& sorter) {
  sorter.sort(
      given.key.size(), given.keys, [](std::size_t k) { return static_cast<int>(k); },
      [&](std::size_t k) { return given.key[k]; });
}

}  // namespace

TEST_CASE("items come by key and within a key in their order, for any number of threads") {
  for (const int count : {1, 2, 3, 16}) {
    set_threads(count);
    CountingSort sorter;  // used again, for more and for fewer
    for (const Given& given : {random_keys(30000, 700, 1), random_keys(50, 9, 2),
                               random_keys(20000, 3, 3), random_keys(9000, 40000, 4)}) {
      parallel_team([&] { sort(given, sorter); });
      CHECK(std::ranges::equal(sorter.sorted(), in_order(given)));
    }
  }
  set_threads(1);
}

TEST_CASE("the items of a key, and of several keys, lie together") {
  const Given given = random_keys(20000, 50, 5);
  set_threads(2);
  CountingSort sorter;
  sort(given, sorter);
  std::size_t seen = 0;
  for (std::size_t key = 0; key < given.keys; ++key) {
    for (const int item : sorter.with_key(key)) CHECK(given.key[at(item)] == static_cast<int>(key));
    seen += sorter.with_key(key).size();
  }
  CHECK(seen == sorter.sorted().size());
  CHECK(sorter.with_keys(10, 30).data() == sorter.with_key(10).data());
  std::size_t between = 0;
  for (std::size_t key = 10; key < 30; ++key) between += sorter.with_key(key).size();
  CHECK(sorter.with_keys(10, 30).size() == between);
  set_threads(1);
}

TEST_CASE("items are counted by key") {
  const Given given = random_keys(20000, 50, 6);
  for (const int count : {1, 2, 5}) {
    set_threads(count);
    CountingSort sorter;
    sorter.count(given.key.size(), given.keys, [&](std::size_t k) { return given.key[k]; });
    for (std::size_t key = 0; key < given.keys; ++key) {
      CHECK(sorter.counted(key) == std::ranges::count(given.key, static_cast<int>(key)));
    }
  }
  set_threads(1);
}

TEST_CASE("nothing to sort is an empty list") {
  CountingSort sorter;
  sort({{}, 4}, sorter);
  CHECK(sorter.sorted().empty());
  CHECK(sorter.with_keys(0, 4).empty());
  sort({{}, 0}, sorter);
  CHECK(sorter.sorted().empty());
}
