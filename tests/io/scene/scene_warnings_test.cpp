// SPDX-License-Identifier: Apache-2.0
// Probable slips in a scene are told of, and scenes without slips are not.
#include "io/scene/scene_warnings.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "io/scene/scene_reader.hpp"

using namespace talus;

namespace {

std::vector<std::string> warnings(const std::string& head, const std::string& tail = "") {
  return read_scene_text(head + R"(dimension = 2
time = { step = 1e-3, end = 1 }
[material.stone]
density = 2500
friction = 0.5
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
)" + tail,
                         "scene.toml")
      .warnings;
}

using Lines = std::vector<std::string>;
const std::string gravity = "gravity = [0, -9.81]\n";

}  // namespace

TEST_CASE("bundled scenes have no probable slips") {
  int scenes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TALUS_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    Lines warnings = read_scene(entry.path()).warnings;
    std::erase_if(warnings, [](const std::string& line) {
      // What was done to stones from files is no slip.
      return line.find(".stl: ") != std::string::npos ||
             line.find("cut apart") != std::string::npos;
    });
    CHECK(warnings == Lines{});
    ++scenes;
  }
  CHECK(scenes > 30);
}

TEST_CASE("a scene without slips has no warnings") {
  CHECK(warnings(gravity) == Lines{});
  CHECK(warnings("gravity = [0, 0]\n") == Lines{});       // said so
  CHECK(warnings("", "velocity = [1, 0]\n") == Lines{});  // moves by itself
  CHECK(warnings("dynamics = \"sweeping\"\n") == Lines{});
  CHECK(warnings("", "[[force]]\nbody = \"ball\"\ndirection = [1, 0]\nforce = 1\n") == Lines{});
}

TEST_CASE("gravity that points up or is forgotten") {
  CHECK(warnings("gravity = [0, 9.81]\n") ==
        Lines{"scene.toml:1:11: gravity points upwards: its last component is 9.81 m/s²"});
  CHECK(warnings("") ==
        Lines{"scene.toml: no 'gravity' is given, and nothing else sets the bodies in motion"});
  CHECK(warnings("", "fixed = true\n") == Lines{});
}

TEST_CASE("a density of a gas, in bodies that take their mass from it") {
  const auto light = [](const std::string& tail) {
    return read_scene_text(gravity + R"(dimension = 3
time = { step = 1e-3, end = 1 }
[material.stone]
density = 2.4
friction = 0.5
[[body]]
shape = { ball = 0.1 }
material = "stone"
)" + tail,
                           "scene.toml", std::vector<std::string>{"gravity=[0,0,-9.81]"})
        .warnings;
  };
  CHECK(light("") == Lines{"scene.toml:5:11: material 'stone': density = 2.4 kg/m³ is that of a "
                           "gas"});
  CHECK(light("mass = 1\n") == Lines{});
  CHECK(light("fixed = true\n") == Lines{});
}

TEST_CASE("a material that no body has") {
  const std::string tail = "[material.foam]\ndensity = 20\n";
  CHECK(warnings(gravity, tail) == Lines{"scene.toml:11:1: material 'foam' is that of no body"});
  CHECK(warnings(gravity, tail + "[[group]]\nbody = \"ball\"\nmaterial = \"foam\"\n") ==
        Lines{"scene.toml:4:1: material 'stone' is that of no body"});
}

TEST_CASE("a step in which a body falls through its own radius") {
  const auto with = [](const std::string& step) {
    return read_scene_text(gravity + R"(dimension = 2
time = { step = 1, end = 10 }
[material.stone]
density = 2500
[[body]]
shape = { ball = 0.1 }
material = "stone"
)",
                           "scene.toml", std::vector<std::string>{"time.step=" + step})
        .warnings;
  };
  CHECK(with("0.1") == Lines{});  // 0.0981 m
  const Lines found = with("0.2");
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("step = 0.2 s: within it the smallest body falls 3.92 of its radius from "
                      "rest; 0.01 s or less follows its motion") != std::string::npos);
}
