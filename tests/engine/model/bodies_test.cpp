// SPDX-License-Identifier: Apache-2.0
#include "engine/model/bodies.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace talus;
using doctest::Approx;

namespace {

template <int D>
Scene<D> scene_of(std::vector<BodyDescription<D>> bodies, double density = 1000) {
  Scene<D> scene;
  scene.materials = {{"stone", density}};
  scene.laws = PairTable(1);
  scene.bodies = std::move(bodies);
  return scene;
}

}  // namespace

TEST_CASE("a body of two boxes stands about its mass centre") {
  BodyDescription<2> body;
  body.shapes = {moved<2>(Shape<2>(box<2>({2, 1})), {1, 0.5}, {}),
                 moved<2>(Shape<2>(box<2>({1, 2})), {0.5, 2}, {})};
  body.position = {10, 20};
  body.orientation = {std::numbers::pi / 2};
  const Bodies<2> bodies = make_bodies(scene_of<2>({body}, 3));
  // areas 2 and 2, centres (1, 0.5) and (0.5, 2)
  const Vec<2> centre(0.75, 1.25);
  CHECK(bodies.mass[0] == Approx(12));
  CHECK(bodies.inverse_mass[0] == Approx(1.0 / 12));
  CHECK((bodies.position[0] - Vec<2>(10 - 1.25, 20 + 0.75)).norm() < 1e-14);
  CHECK((bodies.origin_offset[0] + centre).norm() < 1e-15);
  const double J =
      3 * (2 * (4.0 + 1) / 12 + 2 * (1.0 + 4) / 12 + 2 * Vec<2>(0.25, 0.75).squaredNorm() * 2);
  CHECK(bodies.inertia[0](0, 0) == Approx(J).epsilon(1e-13));
  CHECK(bodies.inverse_inertia[0](0, 0) == Approx(1 / J).epsilon(1e-13));
  const Geometry<2>& geometry = bodies.geometry_of(0);
  CHECK(geometry.bounding_radius == Approx(Vec<2>(0.75, 1.75).norm()));
  CHECK(geometry.size == Approx(std::sqrt(1.25)));
  CHECK(geometry.ball_radius == 0);
}

TEST_CASE("mass and inertia may be given") {
  BodyDescription<3> body;
  body.shapes = {box<3>({1, 2, 3})};
  body.mass = 5;
  BodyDescription<3> other = body;
  Mat<3> J = Vec<3>(2, 3, 4).asDiagonal();
  J(0, 1) = J(1, 0) = 0.5;
  other.inertia = J;
  const Bodies<3> bodies = make_bodies(scene_of<3>({body, other}));
  CHECK(bodies.mass[0] == 5);
  CHECK(bodies.inertia[0](0, 0) == Approx(5 * (4.0 + 9) / 12));
  CHECK(bodies.inertia[1] == J);
  CHECK((bodies.inverse_inertia[1] * J - Mat<3>::Identity()).norm() < 1e-14);
  CHECK(bodies.inverse_inertia[1] == bodies.inverse_inertia[1].transpose());
}

TEST_CASE("fixed, driven and rotation-locked bodies have the zeros that make them so") {
  BodyDescription<3> fixed;
  fixed.shapes = {moved<3>(Shape<3>(box<3>({1, 1, 1})), {4, 0, 0}, {})};
  fixed.fixed = true;
  fixed.velocity = {1, 0, 0};
  BodyDescription<3> driven = fixed;
  driven.fixed = false;
  driven.drives.emplace_back();
  BodyDescription<3> locked;
  locked.shapes = {Ball<3>{0.5, Vec<3>(1, 0, 0)}};
  locked.rotation_locked = true;
  BodyDescription<3> floor;
  floor.shapes = {HalfSpace<3>{{0, 0, 1}, 0}};
  floor.fixed = true;
  const Bodies<3> bodies = make_bodies(scene_of<3>({fixed, driven, locked, floor}));
  for (std::size_t i : {0u, 1u, 3u}) {
    CHECK(bodies.mass[i] == 0);
    CHECK(bodies.inverse_mass[i] == 0);
    CHECK(bodies.inertia[i].isZero(0));
    CHECK(bodies.inverse_inertia[i].isZero(0));
    CHECK(bodies.position[i].isZero(0));
    CHECK(bodies.origin_offset[i].isZero(0));
    CHECK_FALSE(bodies.moves_freely(i));
  }
  CHECK(bodies.velocity[0].isZero(0));
  CHECK(bodies.geometry_of(0).bounding_radius == Approx(Vec<3>(4.5, 0.5, 0.5).norm()));
  CHECK(bodies.geometry[0] == bodies.geometry[1]);
  CHECK(bodies.moves_freely(2));
  CHECK(bodies.inverse_inertia[2].isZero(0));
  CHECK(bodies.inertia[2](0, 0) > 0);
  CHECK(bodies.position[2] == Vec<3>(1, 0, 0));
  CHECK(bodies.geometry_of(2).ball_radius == 0.5);
  CHECK(std::isinf(bodies.geometry_of(3).bounding_radius));
}

TEST_CASE("bodies described alike share one geometry") {
  std::vector<BodyDescription<3>> described;
  for (int i = 0; i < 3000; ++i) {
    BodyDescription<3> body;
    if (i % 3 == 0) body.shapes = {Ball<3>{0.1 + 0.01 * (i % 7), Vec<3>::Zero()}};
    if (i % 3 == 1) body.shapes = {box<3>({1, 2, i % 2 ? 3.0 : 4.0})};
    if (i % 3 == 2) body.shapes = {Capsule<3>{{Vec<3>(0, 0, 0), Vec<3>(1, 0, 0)}, 0.5}};
    body.position = {static_cast<double>(i), 0, 0};
    described.push_back(body);
  }
  const Scene<3> scene = scene_of<3>(described);
  const Bodies<3> bodies = make_bodies(scene);
  CHECK(bodies.geometries.size() == 7 + 2 + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(bodies.geometry_of(i).shapes.front().index() == scene.bodies[i].shapes.front().index());
    CHECK(bodies.mass[i] ==
          Approx(1000 * mass_properties<3>(scene.bodies[i].shapes).volume).epsilon(1e-14));
  }
}
