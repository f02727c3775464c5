// SPDX-License-Identifier: Apache-2.0
#include "engine/step/body_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace talus;

namespace {

template <int D>
Bodies<D> balls_at(const std::vector<Vec<D>>& places) {
  Scene<D> scene;
  scene.materials = {{"stone", 2500}};
  for (const Vec<D>& place : places) {
    BodyDescription<D> body;
    body.shapes = {Ball<D>{0.4, Vec<D>::Zero()}};
    body.position = place;
    scene.bodies.push_back(body);
  }
  return make_bodies<D>(scene);
}

// A square or cube of cells, shuffled.
template <int D>
std::vector<Vec<D>> shuffled_grid(int side) {
  std::vector<Vec<D>> places;
  for (int i = 0; i < static_cast<int>(std::lround(std::pow(side, D))); ++i) {
    Vec<D> place;
    for (int k = 0, rest = i; k < D; ++k, rest /= side) place[k] = rest % side - 7;
    places.push_back(place);
  }
  std::shuffle(places.begin(), places.end(), std::mt19937(4));
  return places;
}

}  // namespace

TEST_CASE_TEMPLATE("bodies along the curve are each there once and near their neighbours", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  const int side = D == 2 ? 64 : 16;
  const Bodies<D> bodies = balls_at<D>(shuffled_grid<D>(side));
  std::vector<int> order;
  BodyOrder<D>().find(bodies, order);
  REQUIRE(order.size() == bodies.size() + 1);  // the world is the last
  CHECK(order.back() == static_cast<int>(bodies.size()));
  std::vector<int> all(order.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(std::is_permutation(order.begin(), order.end(), all.begin()));

  // On a grid of 2^n cells the curve fills one small square or cube after the other.
  const int cell = 1 << D;
  for (std::size_t k = 0; k + 1 < order.size(); k += static_cast<std::size_t>(cell)) {
    for (int i = 1; i < cell; ++i) {
      const auto place = [&](std::size_t n) {
        return bodies.position[static_cast<std::size_t>(order[n])];
      };
      CHECK((place(k + static_cast<std::size_t>(i)) - place(k)).cwiseAbs().maxCoeff() <= 1);
    }
  }
}

TEST_CASE("few bodies keep the order of their numbers") {
  const Bodies<2> bodies = balls_at<2>(shuffled_grid<2>(10));
  std::vector<int> order = {1, 2, 3};
  BodyOrder<2>().find(bodies, order);
  CHECK(order.empty());
}
