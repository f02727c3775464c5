// SPDX-License-Identifier: Apache-2.0
// Containers hold what is in them: fixed or driven, of half-spaces or of plates.
#include "engine/build/container.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"

using namespace talus;

namespace {

// Runs 60 balls in a container for a while.
World<3> shaken(const std::string& container, const std::string& packing = "") {
  World<3> world(std::get<Scene<3>>(read_scene_text(R"(
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 0.4 }
solver = { tolerance = 1e-3 }
[material.grain]
density = 2500
friction = 0.4
[[packing]]
in = "container"
count = 60
radius = [0.04, 0.06]
material = "grain"
)" + packing + "[[container]]\nmaterial = \"grain\"\n" + container,
                                                    "test.toml")
                                        .scene));
  REQUIRE(world.initial_overlaps().empty());
  int unsolved = 0;
  for (int k = 0; k < 400; ++k) unsolved += !world.step().converged;
  CHECK(unsolved == 0);
  return world;
}

Mat<3> turn_about_y(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return Mat<3>{{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
}

// How many balls are not inside, but for a tenth of their radius.
int escaped(const World<3>& world, const Region<3>& inside, const Mat<3>& R = Mat<3>::Identity()) {
  int count = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!world.bodies().moves_freely(i)) continue;
    count += !inside.holds(R.transpose() * world.bodies().position[i],
                           0.9 * world.bodies().geometry_of(i).ball_radius);
  }
  return count;
}

}  // namespace

TEST_CASE("a box and a cylinder hold balls that fall into them, whatever their walls are made of") {
  for (const char* walls : {"", "thickness = 0.05\n"}) {
    CAPTURE(walls);
    CHECK(escaped(shaken(std::string("box = [0.5, 0.5, 1.5]\n") + walls),
                  box_container<3>({0.5, 0.5, 1.5}, {}, 0).inside) == 0);
    CHECK(escaped(shaken(std::string("cylinder = [0.3, 1.5]\nsides = 10\n") + walls),
                  cylinder_container(0.3, 1.5, 10, {}, 0).inside) == 0);
  }
}

TEST_CASE("a drum that turns holds balls and lifts them on the side that goes up") {
  const World<3> world =
      shaken("drum = [0.5, 0.6]\nsides = 12\nspin = 4\n", "fill = \"deposit\"\n");
  // It has turned by 1.6 rad about y.
  const Mat<3> R = turn_about_y(1.6);
  CHECK(escaped(world, drum_container<3>(0.5, 0.6, 12, 0.05).inside, R) == 0);
  double x = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    if (world.bodies().moves_freely(i)) x += world.bodies().position[i][0] / 60;
  // At the foot of the drum ω × r = 4 ŷ × (−0.5 ẑ) points along −x.
  CHECK(x < -0.1);
}

TEST_CASE("a container of points holds balls, turned as it may be") {
  const World<3> world = shaken(R"(
points = [[0, 0, -0.5], [0.6, 0, 0], [-0.6, 0, 0], [0, 0.6, 0], [0, -0.6, 0], [0, 0, 1]]
rotation = { axis = [0, 1, 0], degrees = 20 }
)");
  const auto hull = convex_hull<3>(
      {{0, 0, -0.5}, {0.6, 0, 0}, {-0.6, 0, 0}, {0, 0.6, 0}, {0, -0.6, 0}, {0, 0, 1}});
  const Mat<3> R = turn_about_y(M_PI / 9);
  CHECK(escaped(world, hull_region<3>(*hull), R) == 0);
}

TEST_CASE("a hopper in space lets balls out through its opening and nowhere else") {
  const World<3> world =
      shaken("hopper = { width = 0.8, opening = 0.4, slope = 50, height = 1.2 }\nsides = 6\n",
             "fill = \"deposit\"\n");
  const Region<3> inside = hopper_container<3>({.opening = 0.4,
                                                .width = 0.8,
                                                .slope = 50 * M_PI / 180,
                                                .height = 1.2,
                                                .sides = 6,
                                                .thickness = 0.05})
                               .inside;
  int out = 0, astray = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!world.bodies().moves_freely(i)) continue;
    const Vec<3>& x = world.bodies().position[i];
    const double r = world.bodies().geometry_of(i).ball_radius;
    out += x[2] < 0;
    // Below, they fall freely and have hardly any speed to the side.
    if (x[2] < 0) astray += std::hypot(x[0], x[1]) > 0.4;
    // Above the rim, around which they may roll, walls hold them.
    if (x[2] < r) continue;
    for (const auto& wall : inside.walls)
      if (std::abs(wall.n[2]) < 0.99) astray += wall.n.dot(x) + 0.9 * r > wall.d;
  }
  CHECK(out > 10);
  CHECK(astray == 0);
}
