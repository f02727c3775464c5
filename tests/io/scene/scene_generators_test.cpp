// SPDX-License-Identifier: Apache-2.0
// What generators of a scene make, and where.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/io/scene/scene_texts.hpp"

using namespace talus;
using namespace talus::scene_texts;

TEST_CASE("generators of the plane make the bodies they describe") {
  const SceneDocument document = read_scene_text(plane_scene(R"(
[[wall]]
block = [0.124, 0.049]
courses = 10
blocks = 10
material = "stone"
position = [5, 1]
velocity = [0, -2]

[[chain]]
name = "balls"
count = 3
radius = 0.1
gap = 0.05
direction = [0, 2]
masses = [1, 2, 3]
incoming = 2
velocity = [0, 4]
material = "stone"
position = [-3, 1]

[[grid]]
shape = { box = [1, 2] }
counts = [2, 3]
spacing = [1.5, 2.5]
jitter = 0.1
seed = 3
material = "stone"
position = [100, 1]
fixed = true

[[stack]]
block = [0.4, 0.1]
count = 3
overhang = [0.1, -0.05]
material = "stone"

[[stack]]
block = [0.4, 0.1]
count = 3
overhang = "harmonic"
factor = 0.9
material = "stone"

[[stack]]
block = [0.4, 0.1]
count = 3
overhang = 0.01
material = "stone"

[[stack]]
name = "straight"
block = [0.4, 0.1]
count = 2
material = "stone"

[[arch]]
inner_radius = 2
thickness = 0.5
count = 9
span = 90
material = "stone"

[[column]]
counts = [3, 4]
radius = 0.1
material = "stone"

[[column]]
counts = [3, 4]
radius = [0.1, 0.2]
seed = 2
material = "stone"

[[column]]
counts = [3, 4]
box = [0.3, 0.1]
material = "stone"
)"),
                                                 "test.toml");
  const auto& bodies = std::get<Scene<2>>(document.scene).bodies;
  const auto find = [&](const std::string& name) -> const BodyDescription<2>& {
    const auto found = std::find_if(bodies.begin(), bodies.end(),
                                    [&](const auto& body) { return body.name == name; });
    REQUIRE_MESSAGE(found != bodies.end(), name);
    return *found;
  };
  REQUIRE(bodies.size() == 1 + 105 + 3 + 6 + 3 + 3 + 3 + 2 + 9 + 10 + 10 + 12);

  CHECK(find("wall.0.0").position.isApprox(Vec<2>(5 - 0.62 + 0.062, 1 + 0.0245), 1e-15));
  CHECK(find("wall.9.10").velocity == Vec<2>(0, -2));
  CHECK(document.place_of_body(1) == "test.toml:16:1");
  CHECK(document.place_of_body(105) == "test.toml:16:1");
  CHECK(document.place_of_body(106) == "test.toml:24:1");

  CHECK(find("balls.2").position.isApprox(Vec<2>(-3, 1.5), 1e-15));
  CHECK(find("balls.2").mass == 3);
  CHECK(find("balls.2").velocity == Vec<2>(0, 0));
  CHECK(find("balls.1").velocity == Vec<2>(0, 4));

  CHECK(find("grid.1.2").fixed);
  CHECK((find("grid.1.2").position - Vec<2>(101.5, 6)).cwiseAbs().maxCoeff() < 0.1);
  CHECK(find("grid.1.2").position != Vec<2>(101.5, 6));

  CHECK(find("stack.1").position.isApprox(Vec<2>(0.1, 0.15), 1e-15));
  CHECK(find("stack.2").position.isApprox(Vec<2>(0.05, 0.25), 1e-15));
  CHECK(find("stack1.0").position[0] == doctest::Approx(0.9 * 0.4 / 6 - 0.2).epsilon(1e-14));
  CHECK(find("stack2.2").position[0] == doctest::Approx(0.02).epsilon(1e-14));
  CHECK(find("straight.1").position[0] == 0);

  CHECK(find("arch.4").position.isApprox(Vec<2>(0, 2.25), 1e-15));
  CHECK(find("arch.0").orientation.angle == doctest::Approx(40 * M_PI / 180).epsilon(1e-14));

  CHECK(find("column.0.0").position.isApprox(Vec<2>(-0.2, 0.1), 1e-15));
  const double random_radius = std::get<Ball<2>>(find("column1.0.0").shapes[0]).radius;
  CHECK(random_radius > 0.1);
  CHECK(random_radius < 0.2);
  CHECK(find("column2.3.2").position.isApprox(Vec<2>(0.3, 0.35), 1e-15));
}

TEST_CASE("generators of space make the bodies they describe") {
  const Scene<3> scene = read<3>(space_scene(R"(
[[wall]]
block = [0.4, 0.2, 0.1]
courses = 2
blocks = 2
material = "stone"
position = [1, 2, 3]
rotation = { axis = [0, 0, 1], degrees = 90 }

[[arch]]
inner_radius = 2
thickness = 0.5
count = 3
depth = 1
material = "stone"

[[grid]]
shape = { ball = 0.1 }
counts = [1, 2, 2]
spacing = 0.5
material = "stone"

[[column]]
counts = [2, 2, 2]
radius = 0.1
material = "stone"
)"));
  REQUIRE(scene.bodies.size() == 5 + 3 + 4 + 5);
  // The wall runs along y: its first block lies 0.2 m before the middle.
  CHECK(scene.bodies[0].position.isApprox(Vec<3>(1, 1.8, 3.1), 1e-15));
  CHECK(mass_properties<3>(scene.bodies[0].shapes).volume == doctest::Approx(0.4 * 0.2 * 0.1));
  CHECK(scene.bodies[10].position.isApprox(Vec<3>(0, 0, 2.25), 1e-15));
  CHECK(scene.bodies[8].position.isApprox(Vec<3>(0, 0.5, 0.5), 1e-15));
  CHECK(scene.bodies[16].position.isApprox(Vec<3>(0, 0, 0.1 + std::sqrt(2.0) * 0.1), 1e-15));
}

TEST_CASE("a packing lies in the container it names, wherever that is") {
  const Scene<3> scene = read<3>(space_scene(R"(
[[container]]
name = "mill"
drum = [0.5, 1]
sides = 8
position = [5, 0, 1]
rotation = { axis = [0, 0, 1], degrees = 90 }
spin = 2
material = "stone"

[[container]]
box = [1, 1, 1]
open = []
thickness = 0.1
material = "stone"
position = [-5, 0, 0]

[[packing]]
in = "mill"
count = 20
radius = 0.05
material = "stone"

[[packing]]
in = "container1"
count = 5
region = { box = [0.2, 0.2, 0.4] }
position = [0.3, 0, 0]
radius = 0.02
fill = "deposit"
material = "stone"
)"));
  const auto named = [&](const std::string& name) {
    const auto found = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                    [&](const auto& body) { return body.name == name; });
    REQUIRE_MESSAGE(found != scene.bodies.end(), name);
    return *found;
  };
  REQUIRE(scene.bodies.size() == 8 + 2 + 6 + 20 + 5);
  // The drum's axis, y, is turned to −x.
  const BodyDescription<3> side = named("mill.side.7"), front = named("mill.front");
  CHECK_FALSE(side.fixed);
  REQUIRE(side.drives.size() == 1);
  CHECK(side.drives[0].axis.isApprox(Vec<3>(-1, 0, 0), 1e-12));
  CHECK(std::get<Constant>(side.drives[0].signal).value == 2);
  CHECK(side.position == Vec<3>(5, 0, 1));
  CHECK(front.position == Vec<3>(5, 0, 1));
  CHECK(named("container1.top").fixed);
  for (const BodyDescription<3>& body : scene.bodies) {
    if (body.name.starts_with("packing.")) {
      CHECK(std::abs(body.position[0] - 5) <= 0.45);
      CHECK(std::hypot(body.position[1], body.position[2] - 1) <= 0.5 / std::cos(M_PI / 8) - 0.05);
    }
    if (body.name.starts_with("packing1.")) {
      CHECK(std::abs(body.position[0] + 4.7) <= 0.08);
      CHECK(std::abs(body.position[1]) <= 0.08);
    }
  }
}
