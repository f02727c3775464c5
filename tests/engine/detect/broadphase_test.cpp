// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/broadphase.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "solvers/math/parallel.hpp"

using namespace talus;

namespace {

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

// Balls whose radii spread over three decades, some fixed, in a box with a floor.
template <int D>
Scene<D> mixed_sizes(int count, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Scene<D> scene;
  scene.materials = {{"stone", 1000}};
  scene.laws = PairTable(1);
  BodyDescription<D> floor;
  floor.fixed = true;
  floor.shapes = {HalfSpace<D>{Vec<D>::Unit(D - 1), 0.1}};
  scene.bodies.push_back(floor);
  for (int i = 0; i < count; ++i) {
    BodyDescription<D> body;
    body.shapes = {Ball<D>{0.3 * std::pow(10, -3 * uniform(random))}};
    for (int k = 0; k < D; ++k) body.position[k] = uniform(random);
    body.fixed = uniform(random) < 0.2;
    scene.bodies.push_back(body);
  }
  return scene;
}

// Every pair of boxes against every other, with the boxes of balls written out.
template <int D>
std::vector<BodyPair> brute_force(const Bodies<D>& bodies, const std::vector<Reach<D>>& reach) {
  std::vector<BodyPair> pairs;
  const auto low = [&](std::size_t i, int k) {
    return bodies.position[i][k] - bodies.geometry_of(i).ball_radius +
           std::min(0.0, reach[i].displacement[k]) - reach[i].margin;
  };
  const auto high = [&](std::size_t i, int k) {
    return bodies.position[i][k] + bodies.geometry_of(i).ball_radius +
           std::max(0.0, reach[i].displacement[k]) + reach[i].margin;
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      if (!bodies.moves_freely(i) && !bodies.moves_freely(j)) continue;
      bool meet = true;
      if (i == 0) {
        meet =
            low(j, D - 1) - 0.1 - reach[0].margin - std::max(0.0, reach[0].displacement[D - 1]) <=
            0;
      } else {
        for (int k = 0; k < D; ++k)
          meet = meet && low(i, k) <= high(j, k) && low(j, k) <= high(i, k);
      }
      if (meet) pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE_TEMPLATE("no pair is missed and none invented, at any number of threads", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-0.02, 0.02);
  Broadphase<D> broadphase;
  for (const int count : {0, 1, 2, 3, 17, 300, 2000}) {
    const Bodies<D> bodies = make_bodies<D>(mixed_sizes<D>(count, random));
    std::vector<Reach<D>> reach(bodies.size());
    for (Reach<D>& r : reach) {
      for (int k = 0; k < D; ++k) r.displacement[k] = uniform(random);
      r.margin = std::abs(uniform(random));
    }
    const std::vector<BodyPair> expected = brute_force<D>(bodies, reach);
    for (const int threads : {1, 2, 7}) {
      set_threads(threads);
      std::vector<BodyPair> pairs;
      broadphase.find_pairs(bodies, reach, pairs);
      CHECK(pairs == expected);
    }
    set_threads(1);
  }
}

TEST_CASE_TEMPLATE("what bodies did before does not matter: few, many or none have moved far", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Bodies<D> bodies = make_bodies<D>(mixed_sizes<D>(4500, random));
  const std::vector<Reach<D>> reach(bodies.size());
  std::vector<std::pair<int, Broadphase<D>>> kept;  // by the number of threads that use it
  for (const int threads : {1, 2, 7}) kept.emplace_back(threads, Broadphase<D>());
  for (const std::size_t far : {0, 1, 40, 0, 64, 3, 1500, 7}) {
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const double step = i * 7 % bodies.size() < far ? 0.2 : 1e-3 * bodies.geometry_of(i).size;
      for (int k = 0; k < D; ++k) bodies.position[i][k] += step * uniform(random);
    }
    const std::vector<BodyPair> expected = brute_force<D>(bodies, reach);
    for (auto& [threads, broadphase] : kept) {
      set_threads(threads);
      std::vector<BodyPair> pairs;
      broadphase.find_pairs(bodies, reach, pairs);
      CHECK(pairs == expected);
    }
  }
  set_threads(1);
}

TEST_CASE_TEMPLATE("bodies that go farther than single precision reaches are found", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(5);
  const Bodies<D> bodies = make_bodies<D>(mixed_sizes<D>(17, random));
  std::vector<Reach<D>> reach(bodies.size());
  for (std::size_t i = 1; i < reach.size(); i += 2)
    reach[i].displacement = Vec<D>::Constant(i % 4 == 1 ? 1e50 : -1e50);
  std::vector<BodyPair> pairs;
  Broadphase<D>().find_pairs(bodies, reach, pairs);
  CHECK(pairs == brute_force<D>(bodies, reach));
}

TEST_CASE("boxes that just touch are a pair") {
  Scene<2> scene;
  scene.materials = {{"stone", 1000}};
  scene.laws = PairTable(1);
  for (const double x : {0.0, 1.0, 2.5}) {
    BodyDescription<2> body;
    body.shapes = {Ball<2>{0.5}};
    body.position = {x, 0};
    scene.bodies.push_back(body);
  }
  const Bodies<2> bodies = make_bodies<2>(scene);
  std::vector<BodyPair> pairs;
  Broadphase<2>().find_pairs(bodies, std::vector<Reach<2>>(3), pairs);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0] == BodyPair{0, 1});
}
