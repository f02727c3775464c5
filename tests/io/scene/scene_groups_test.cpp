// SPDX-License-Identifier: Apache-2.0
// Groups of bodies in a scene: names with `*`, materials, forces, pressures and missing contacts.
#include <doctest/doctest.h>

#include "engine/detect/excluded_pairs.hpp"
#include "io/scene/body_names.hpp"
#include "io/scene/scene_reader.hpp"

using namespace talus;

namespace {

// A grid of 2 × 2 blocks over a floor, and a plate.
Scene<2> scene_with(const std::string& tail) {
  return std::get<Scene<2>>(read_scene_text(R"(
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
[material.stone]
density = 2000
friction = 0.5
[material.wood]
density = 500
friction = 0.4
[[contact]]
between = ["stone", "wood"]
friction = 0.3
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "plate"
shape = { box = [2, 0.1] }
material = "stone"
position = [0, 3]
[[grid]]
shape = { box = [0.5, 0.25] }
counts = [2, 2]
spacing = 0.6
position = [0, 0.2]
material = "stone"
)" + tail,
                                            "scene.toml")
                                .scene);
}

}  // namespace

TEST_CASE("* stands for any characters, also none") {
  struct Trial {
    std::string name, pattern;
  };
  for (const Trial& trial : std::vector<Trial>{{"wall.0.12", "wall.0.*"},
                                               {"wall.0.12", "*"},
                                               {"wall.0.12", "*.12"},
                                               {"wall.0.12", "w*0*2"},
                                               {"wall.0.12", "wall.0.12*"},
                                               {"abab", "*ab"},
                                               {"", "*"},
                                               {"", ""}})
    CHECK_MESSAGE(fits_pattern(trial.name, trial.pattern), trial.name, " ", trial.pattern);
  for (const Trial& trial : std::vector<Trial>{{"wall.0.12", "wall.1.*"},
                                               {"wall.0.12", "wall.0.1"},
                                               {"wall", "wall.*"},
                                               {"aba", "*ab"},
                                               {"a", ""}})
    CHECK_FALSE_MESSAGE(fits_pattern(trial.name, trial.pattern), trial.name, " ", trial.pattern);
}

TEST_CASE("a group gives its bodies a material, the later group wins") {
  const Scene<2> scene = scene_with(R"(
[[group]]
body = ["grid.0.*", "plate"]
material = "wood"
[[group]]
body = "grid.0.1"
material = "stone"
)");
  std::vector<std::string> wooden;
  for (const auto& body : scene.bodies)
    if (scene.materials[static_cast<std::size_t>(body.material)].name == "wood")
      wooden.push_back(body.name);
  CHECK(wooden == std::vector<std::string>{"plate", "grid.0.0"});
}

TEST_CASE("a force on a group acts on each of its bodies that move") {
  const Scene<2> scene =
      scene_with("[[force]]\nbody = [\"*r*\"]\ndirection = [1, 0]\nforce = 3\n");  // floor, grid.…
  REQUIRE(scene.forces.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(scene.forces[k].body == static_cast<int>(k) + 2);
    CHECK(value(scene.forces[k].signal, 0) == 3);
  }
}

TEST_CASE("a pressure acts on the face of each body of a group") {
  const Scene<2> scene =
      scene_with("[[force]]\nbody = [\"plate\", \"grid.1.0\"]\nface = [0, 2]\npressure = 10\n");
  REQUIRE(scene.forces.size() == 2);
  CHECK(scene.forces[0].area == doctest::Approx(2).epsilon(1e-14));
  CHECK(scene.forces[1].area == doctest::Approx(0.5).epsilon(1e-14));
  CHECK((scene.forces[1].point - Vec<2>(0, 0.125)).norm() < 1e-14);
  CHECK((scene.forces[0].direction - Vec<2>(0, -1)).norm() < 1e-14);
}

TEST_CASE("collide = false takes contacts from a group and from a pair of groups") {
  const Scene<2> scene = scene_with(R"(
[[group]]
body = "grid.0.*"
collide = false
[[pair]]
between = ["plate", ["grid.1.1", "floor"]]
collide = false
[[pair]]
between = ["grid.*", "floor"]
collide = true
)");
  const auto index = [&](const std::string& name) {
    std::size_t i = 0;
    while (scene.bodies[i].name != name) ++i;
    return i;
  };
  const auto apart = [&](const std::string& a, const std::string& b) {
    CHECK(scene.no_contact.applies(index(a), index(b)) ==
          scene.no_contact.applies(index(b), index(a)));
    return scene.no_contact.applies(index(a), index(b));
  };
  CHECK(apart("grid.0.0", "grid.0.1"));
  CHECK(apart("plate", "grid.1.1"));
  CHECK(apart("floor", "plate"));
  CHECK_FALSE(apart("grid.0.0", "grid.1.0"));
  CHECK_FALSE(apart("grid.1.0", "grid.1.1"));
  CHECK_FALSE(apart("grid.1.1", "floor"));
  CHECK_FALSE(apart("grid.0.0", "floor"));
  const Bodies<2> bodies = make_bodies<2>(scene);
  const auto pair = [&](const std::string& a, const std::string& b) {
    return BodyPair{static_cast<std::int32_t>(index(a)), static_cast<std::int32_t>(index(b))};
  };
  std::vector<BodyPair> pairs = {pair("floor", "plate"), pair("floor", "grid.0.0"),
                                 pair("plate", "grid.1.1"), pair("grid.0.0", "grid.0.1"),
                                 pair("grid.1.0", "grid.1.1")};
  ExcludedPairs<2>(scene).remove_from(pairs, bodies);
  CHECK(pairs == std::vector<BodyPair>{pair("floor", "grid.0.0"), pair("grid.1.0", "grid.1.1")});
}
