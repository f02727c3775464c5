// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/space_curve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace talus;

namespace {

std::vector<CurvePlace> random_places(int count, std::uint64_t keys, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint64_t> key(0, keys - 1);
  std::vector<CurvePlace> places;
  for (int i = 0; i < count; ++i) places.push_back({key(random), i});
  return places;
}

std::vector<CurvePlace> sorted(std::vector<CurvePlace> places) {
  std::sort(places.begin(), places.end(), [](const CurvePlace& a, const CurvePlace& b) {
    return a.key != b.key ? a.key < b.key : a.number < b.number;
  });
  return places;
}

}  // namespace

TEST_CASE("a key holds the bits of the cell's numbers in turn, the first axis lowest") {
  CHECK(curve_key<2>({5, 3}) == 0b011011);  // y x: 0 1, 1 0, 1 1
  CHECK(curve_key<3>({1, 0, 3}) == 0b100101);
  CHECK(curve_key<2>({-7, 1e30}) == curve_key<2>({0, (1 << curve_bits<2>)-1}));
}

TEST_CASE("places are sorted by key, equal ones left in their order") {
  for (const std::uint64_t keys : {50ull, 1ull << 13, 1ull << 44}) {
    std::vector<CurvePlace> places = random_places(3000, keys, 1), scratch;
    const std::vector<CurvePlace> expected = sorted(places);
    sort_along_curve(places, scratch, 44);
    CHECK(places == expected);
  }
}

TEST_CASE("what is nearly sorted is sorted again as if from the start") {
  std::mt19937 random(2);
  for (const std::uint64_t keys : {50ull, 1ull << 44}) {
    for (const int moved : {0, 1, 20, 150}) {
      CAPTURE(moved);
      std::vector<CurvePlace> places = sorted(random_places(3000, keys, 3)), scratch;
      std::uniform_int_distribution<std::size_t> any(0, places.size() - 1);
      for (int k = 0; k < moved; ++k) places[any(random)].key = random() % keys;
      const std::vector<CurvePlace> expected = sorted(places);
      CHECK(sort_again_along_curve(places, scratch));
      CHECK(places == expected);
    }
  }
}

TEST_CASE("what is far from sorted is given back for another way") {
  std::vector<CurvePlace> places = random_places(3000, 1ull << 44, 4), scratch;
  CHECK_FALSE(sort_again_along_curve(places, scratch));
}
