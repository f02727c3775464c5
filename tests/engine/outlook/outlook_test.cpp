// SPDX-License-Identifier: Apache-2.0
// What one look at the start tells of a run.
#include "engine/outlook/outlook.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "engine/world.hpp"

using namespace talus;

namespace {

constexpr double g = 9.81;

template <int D>
Scene<D> balls_over(Shape<D> floor, const std::vector<Vec<D>>& positions) {
  Scene<D> scene;
  scene.gravity = -g * Vec<D>::Unit(D - 1);
  scene.h = 1e-3;
  scene.end = 2;
  scene.materials.emplace_back();
  scene.materials[0].density = 1000;
  scene.laws = PairTable(1);
  BodyDescription<D> ground;
  ground.shapes = {std::move(floor)};
  ground.fixed = true;
  scene.bodies.push_back(ground);
  for (const Vec<D>& x : positions) {
    BodyDescription<D> ball;
    ball.shapes = {Ball<D>{0.1}};
    ball.position = x;
    scene.bodies.push_back(ball);
  }
  return scene;
}

template <int D>
Outlook outlook_of(const Scene<D>& scene) {
  return look_ahead<D>(scene, make_bodies<D>(scene));
}

}  // namespace

TEST_CASE("the speed foreseen is that of a fall to the floor") {
  const Outlook flat =
      outlook_of<2>(balls_over<2>(HalfSpace<2>{Vec<2>::UnitY(), 0}, {{0, 1}, {5, 3}}));
  CHECK(flat.fastest == doctest::Approx(std::sqrt(2 * g * 3)));
  CHECK(flat.longest_fall == doctest::Approx(std::sqrt(2 * 3 / g)));
  CHECK(flat.smallest == doctest::Approx(0.1));
  CHECK(flat.floorless == 0);

  // A plane that rises along x by 45 degrees lies 2 m below (1, 0, 3).
  const Vec<3> n = Vec<3>(-1, 0, 1).normalized();
  CHECK(outlook_of<3>(balls_over<3>(HalfSpace<3>{n, 0}, {{1, 0, 3}})).fastest ==
        doctest::Approx(std::sqrt(2 * g * 2)));
}

TEST_CASE("bodies beside the floor are seen to have none, and to fall until the end") {
  const Shape<3> table = box<3>({2, 2, 0.2});
  const Outlook outlook =
      outlook_of<3>(balls_over<3>(table, {{0.5, 0.5, 1.1}, {3, 0, 1}, {0, -3, 1}}));
  CHECK(outlook.floorless == 2);
  CHECK(outlook.first_floorless == 2);
  CHECK(outlook.fastest == doctest::Approx(g * 2));
  // A body under the table has nothing below it either.
  CHECK(outlook_of<3>(balls_over<3>(table, {{0, 0, -2}})).floorless == 1);
}

TEST_CASE("without gravity only the speed that bodies have counts") {
  Scene<2> scene = balls_over<2>(HalfSpace<2>{Vec<2>::UnitY(), 0}, {{0, 1}});
  scene.gravity.setZero();
  scene.bodies[1].velocity = Vec<2>(3, 4);
  CHECK(outlook_of<2>(scene).fastest == doctest::Approx(5));
  CHECK(outlook_of<2>(scene).floorless == 0);
  CHECK(sample_heap<2>(scene, 10).bodies.empty());
}

TEST_CASE("grains that are yet to be born are in the sample") {
  Scene<2> scene = balls_over<2>(HalfSpace<2>{Vec<2>::UnitY(), 0}, {});
  Emitter<2> emitter;
  emitter.grains.resize(5);
  for (BodyDescription<2>& grain : emitter.grains) grain.shapes = {Ball<2>{0.2}};
  scene.emitters.push_back(emitter);
  CHECK(sample_heap<2>(scene, 10).bodies.size() == 5 + 3);
}

TEST_CASE("the sample is a heap of balls like those of the scene, and lies") {
  std::vector<Vec<3>> positions;
  for (int k = 0; k < 900; ++k) positions.emplace_back(k, 0, 1);
  Scene<3> scene = balls_over<3>(HalfSpace<3>{Vec<3>::UnitZ(), 0}, positions);
  Scene<3> sample = sample_heap<3>(scene, 300);
  REQUIRE(sample.bodies.size() == 300 + 5);
  World<3> world(std::move(sample));
  CHECK(world.initial_overlaps().empty());
  Certificate step;
  for (int k = 0; k < 5; ++k) step = world.step();
  CHECK(step.contacts > 2 * 300);
  CHECK(step.contacts < 5 * 300);
}
