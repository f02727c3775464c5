// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double L = 2, mu = 0.4;

// A ladder pointed at both ends, so that it touches floor and wall in its axis.
template <int D>
Polytope<D> ladder() {
  const std::vector<Vec<2>> outline = {{-L / 2, 0}, {0, -0.02}, {L / 2, 0}, {0, 0.02}};
  if constexpr (D == 2) {
    return convex_hull<2>(outline).value();
  } else {
    std::vector<Vec<3>> points;
    for (const Vec<2>& p : outline)
      for (const double y : {-0.2, 0.2}) points.push_back({p[0], y, p[1]});
    return convex_hull<3>(points).value();
  }
}

// Bodies: 0 the floor, 1 a smooth wall, 2 the ladder, rising towards the wall.
template <int D>
World<D> leaning(double angle) {
  BodyDescription<D> wall = ground<D>();
  wall.material = 2;
  wall.shapes = {HalfSpace<D>{-along<D>(), 0}};
  BodyDescription<D> body =
      block<D>(sides<D>(1, 1, 1), at<D>(-L / 2 * std::cos(angle), L / 2 * std::sin(angle)), angle);
  body.shapes = {ladder<D>()};
  Scene<D> scene = scene_of<D>(1e-3, {}, {ground<D>(), wall, body});
  scene.materials.push_back({"ice", 900});
  scene.laws = PairTable(3);
  scene.laws.set(0, 1, {.friction = mu});
  return World<D>(scene);
}

}  // namespace

TEST_CASE_TEMPLATE("a ladder on a rough floor and a smooth wall stays above tan φ = 1/(2 μ)", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const double angle = 52 * degree;
  World<D> world = leaning<D>(angle);
  run(world, 2000);
  bound("A20 at 52°, speed after 2 s [m/s]", fastest(world.bodies()), 1e-8);
  const double weight = world.bodies().mass[2] * g * world.scene().h;
  const Vec<D> foot = percussion_between(world, 0, 2), head = percussion_between(world, 1, 2);
  compare("A20 floor, normal force over weight", foot[D - 1] / weight, 1, 1e-8);
  compare("A20 floor, friction over weight", foot[0] / weight, 0.5 / std::tan(angle), 1e-8);
  compare("A20 wall, normal force over weight", -head[0] / weight, 0.5 / std::tan(angle), 1e-8);
}

TEST_CASE_TEMPLATE("a ladder slides down below tan φ = 1/(2 μ)", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world = leaning<D>(50.7 * degree);
  const double start = world.bodies().position[2][D - 1];
  run(world, 2000);
  CHECK(world.bodies().position[2][D - 1] < start - 0.2);
}
