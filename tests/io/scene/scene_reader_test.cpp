// SPDX-License-Identifier: Apache-2.0
// What a scene says is what the Scene holds.
#include "io/scene/scene_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/io/scene/scene_texts.hpp"

using namespace talus;
using namespace talus::scene_texts;

TEST_CASE("settings that are not given have the defaults of the engine") {
  const Scene<2> scene = read<2>(plane_scene(""));
  const Scene<2> fresh;
  CHECK(scene.theta == fresh.theta);
  CHECK(scene.save_every == fresh.save_every);
  CHECK(scene.dynamics == fresh.dynamics);
  CHECK(scene.contact_rule == fresh.contact_rule);
  CHECK(scene.correct_drift == fresh.correct_drift);
  CHECK(scene.allowed_overlap == fresh.allowed_overlap);
  CHECK(scene.solver.tolerance == fresh.solver.tolerance);
  CHECK(scene.solver.max_sweeps == fresh.solver.max_sweeps);
  CHECK(scene.title.empty());
}

TEST_CASE("settings that are given arrive") {
  const Scene<3> scene = read<3>(R"(
title = "all settings"
dimension = 3
gravity = [1, 2, -3.5]
time = { step = 2e-3, end = 4, save_every = 7, theta = 0.75 }
solver = { tolerance = 1e-9, max_sweeps = 123 }
dynamics = "sweeping"
contact_rule = "moreau"
correct_drift = false
allowed_overlap = 0.02
material.ice = { density = 900, friction = 0.1, restitution = 0.2, tangential_restitution = 0.3 }
body = [{ shape = { ball = 0.5 }, material = "ice" }]
)");
  CHECK(scene.title == "all settings");
  CHECK(scene.gravity == Vec<3>(1, 2, -3.5));
  CHECK(scene.h == 2e-3);
  CHECK(scene.end == 4);
  CHECK(scene.save_every == 7);
  CHECK(scene.theta == 0.75);
  CHECK(scene.solver.tolerance == 1e-9);
  CHECK(scene.solver.max_sweeps == 123);
  CHECK(scene.dynamics == Dynamics::sweeping);
  CHECK(scene.contact_rule == ContactRule::moreau);
  CHECK_FALSE(scene.correct_drift);
  CHECK(scene.allowed_overlap == 0.02);
  REQUIRE(scene.materials.size() == 1);
  CHECK(scene.materials[0].name == "ice");
  CHECK(scene.materials[0].density == 900);
  CHECK(scene.laws(0, 0).friction == 0.1);
  CHECK(scene.laws(0, 0).restitution == 0.2);
  CHECK(scene.laws(0, 0).tangential_restitution == 0.3);
  REQUIRE(scene.bodies.size() == 1);
  CHECK(scene.bodies[0].name == "body0");
}

TEST_CASE("a contact entry overrides the pair it names, in both orders") {
  const Scene<2> scene = read<2>(plane_scene(R"(
[material.wood]
density = 700
friction = 0.3

[[contact]]
between = ["wood", "stone"]
friction = 0.4
restitution = 0.1

[[contact]]
between = ["stone", "stone"]
friction = 0.7
tangential_restitution = 0.2

[[body]]
shape = { ball = 1 }
material = "wood"
position = [0, 1]
)"));
  const int stone = scene.bodies[0].material, wood = scene.bodies[1].material;
  CHECK(scene.materials[stone].name == "stone");
  CHECK(scene.materials[wood].name == "wood");
  CHECK(scene.laws(wood, stone).friction == 0.4);
  CHECK(scene.laws(stone, wood).friction == 0.4);
  CHECK(scene.laws(stone, wood).restitution == 0.1);
  CHECK(scene.laws(stone, stone).friction == 0.7);
  CHECK(scene.laws(stone, stone).restitution == 0);
  CHECK(scene.laws(stone, stone).tangential_restitution == 0.2);
  CHECK(scene.laws(wood, wood).friction == 0.3);
}

TEST_CASE("a body's state and mass arrive in SI units") {
  const Scene<2> scene = read<2>(plane_scene(R"(
[[body]]
name = "disk"
shape = { ball = 0.25 }
material = "stone"
position = [1, 2]
rotation = { degrees = 90 }
velocity = [3, -4]
spin = 5
rotation_locked = true
mass = 6
inertia = 7
)"));
  const BodyDescription<2>& floor = scene.bodies[0];
  CHECK(floor.fixed);
  CHECK(std::get<HalfSpace<2>>(floor.shapes.at(0)).normal == Vec<2>(0, 1));
  const BodyDescription<2>& disk = scene.bodies[1];
  CHECK(disk.name == "disk");
  CHECK(std::get<Ball<2>>(disk.shapes.at(0)).radius == 0.25);
  CHECK(disk.position == Vec<2>(1, 2));
  CHECK(disk.orientation.angle == doctest::Approx(M_PI / 2).epsilon(1e-15));
  CHECK(disk.velocity == Vec<2>(3, -4));
  CHECK(disk.spin[0] == 5);
  CHECK(disk.rotation_locked);
  CHECK_FALSE(disk.fixed);
  CHECK(disk.mass == 6);
  CHECK((*disk.inertia)(0, 0) == 7);
}

TEST_CASE("rotations in space are about an axis of any length") {
  const Scene<3> scene = read<3>(space_scene(R"(
[[body]]
shape = { box = [1, 2, 3] }
material = "stone"
rotation = { axis = [0, 0, 5], radians = 1.5 }
spin = [1, 2, 3]
inertia = [3, 4, 5]

[[body]]
shape = { ball = 1 }
material = "stone"
position = [9, 9, 9]
inertia = [[3, 0.1, 0], [0.1, 4, 0], [0, 0, 5]]
)"));
  CHECK(rotation_between<3>({}, scene.bodies[0].orientation).isApprox(Vec<3>(0, 0, 1.5), 1e-15));
  CHECK(scene.bodies[0].spin == Vec<3>(1, 2, 3));
  CHECK(scene.bodies[0].inertia->diagonal() == Vec<3>(3, 4, 5));
  CHECK((*scene.bodies[1].inertia)(0, 1) == 0.1);
  CHECK((*scene.bodies[1].inertia)(2, 2) == 5);
}

TEST_CASE("every shape of the plane is read") {
  const Scene<2> scene = read<2>(plane_scene(R"(
[[body]]
material = "stone"
shapes = [
  { ball = 0.5, position = [1, 0] },
  { capsule = { length = 2, radius = 0.1 }, rotation = { degrees = 90 }, position = [0, 5] },
  { box = [2, 4] },
  { polytope = [[0, 0], [1, 0], [0, 1], [0.2, 0.2]] },
]
)"));
  const auto& shapes = scene.bodies[1].shapes;
  REQUIRE(shapes.size() == 4);
  CHECK(std::get<Ball<2>>(shapes[0]).centre == Vec<2>(1, 0));
  const auto& capsule = std::get<Capsule<2>>(shapes[1]);
  CHECK(capsule.ends[0].isApprox(Vec<2>(0, 4)));
  CHECK(capsule.ends[1].isApprox(Vec<2>(0, 6)));
  CHECK(capsule.radius == 0.1);
  CHECK(mass_properties<2>(shapes[2]).volume == 8);
  CHECK(std::get<Polytope<2>>(shapes[3]).vertices.size() == 3);  // the fourth point is inside
}

TEST_CASE("every shape of space is read") {
  const Scene<3> scene = read<3>(space_scene(R"(
[[body]]
material = "stone"
fixed = true
shapes = [
  { ball = 0.5 },
  { capsule = { length = 2, radius = 0.1 } },
  { box = [1, 2, 3] },
  { polytope = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] },
  { prism = { polygon = [[0, 0], [3, 0], [0, 1]], height = 4 } },
  { halfspace = [0, 3, 4], position = [0, 0, 1] },
]
)"));
  const auto& shapes = scene.bodies[0].shapes;
  REQUIRE(shapes.size() == 6);
  CHECK(std::get<Capsule<3>>(shapes[1]).ends[1] == Vec<3>(1, 0, 0));
  CHECK(mass_properties<3>(shapes[2]).volume == doctest::Approx(6));
  CHECK(mass_properties<3>(shapes[3]).volume == doctest::Approx(1.0 / 6));
  CHECK(mass_properties<3>(shapes[4]).volume == doctest::Approx(6));
  CHECK(mass_properties<3>(shapes[4]).centre[2] == doctest::Approx(0));
  CHECK(std::get<HalfSpace<3>>(shapes[5]).normal.isApprox(Vec<3>(0, 0.6, 0.8)));
  CHECK(std::get<HalfSpace<3>>(shapes[5]).offset == doctest::Approx(0.8));
}

TEST_CASE("drives and signals of every kind are read") {
  const Scene<2> scene = read<2>(plane_scene(R"(
[[body]]
name = "plate"
shape = { box = [1, 1] }
material = "stone"
position = [0, 5]
drive = [
  { direction = [0, -2], velocity = 0.01 },
  { direction = [1, 0], position = { table = [[0, 0], [1, 0.5], [2, 0.25]] } },
  { spin = { sinusoid = { amplitude = 2, frequency = 3, phase = 0.5, offset = 1 } } },
]

[[body]]
name = "wheel"
shape = { ball = 1 }
material = "stone"
position = [0, 9]
drive = [{ angle = { table = [[0, 0]] } }]
)"));
  const auto& drives = scene.bodies[1].drives;
  using Kind = Drive<2>::Kind;
  REQUIRE(drives.size() == 3);
  CHECK(drives[0].kind == Kind::velocity);
  CHECK(drives[0].direction == Vec<2>(0, -1));
  CHECK(std::get<Constant>(drives[0].signal).value == 0.01);
  CHECK(drives[1].kind == Kind::position);
  CHECK(std::get<Table>(drives[1].signal).time == std::vector<double>{0, 1, 2});
  CHECK(std::get<Table>(drives[1].signal).value == std::vector<double>{0, 0.5, 0.25});
  CHECK(drives[2].kind == Kind::spin);
  CHECK(drives[2].axis[0] == 1);
  const auto& wave = std::get<Sinusoid>(drives[2].signal);
  CHECK(wave.amplitude == 2);
  CHECK(wave.frequency == 3);
  CHECK(wave.phase == 0.5);
  CHECK(wave.offset == 1);
  CHECK(scene.bodies[2].drives.at(0).kind == Kind::angle);
}

TEST_CASE("a record in a file beside the scene becomes a table") {
  const auto folder = std::filesystem::temp_directory_path() / "talus_record_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "record.txt") << "# time  velocity\n\n0, 0\n0.5 1e-1 # peak\r\n 1\t-0.2\n";
  std::ofstream(folder / "scene.toml") << plane_scene(R"(
[[body]]
shape = { box = [1, 1] }
material = "stone"
position = [0, 5]
drive = [{ direction = [1, 0], velocity = { file = "record.txt" } }]
)");
  const SceneDocument document = read_scene(folder / "scene.toml");
  const auto& table =
      std::get<Table>(std::get<Scene<2>>(document.scene).bodies[1].drives[0].signal);
  CHECK(table.time == std::vector<double>{0, 0.5, 1});
  CHECK(table.value == std::vector<double>{0, 0.1, -0.2});
  CHECK(document.path == (folder / "scene.toml").string());
  std::filesystem::remove_all(folder);
}

TEST_CASE("an acceleration record becomes the velocity of its drive") {
  const auto folder = std::filesystem::temp_directory_path() / "talus_acceleration_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "quake.txt") << "# time  acceleration in g\n1 0\n2 0.5\n3 -0.25\n";
  const auto drive = [&](const std::string& options) {
    std::ofstream(folder / "scene.toml") << plane_scene(
        "[[body]]\nshape = { box = [1, 1] }\nmaterial = \"stone\"\nposition = [0, 5]\n"
        "drive = [{ direction = [1, 0], acceleration = { file = \"quake.txt\", scale = 10 }" +
        options + " }]\n");
    const SceneDocument document = read_scene(folder / "scene.toml");
    return std::get<Scene<2>>(document.scene).bodies[1].drives[0];
  };
  const Drive<2> plain = drive("");
  CHECK(plain.kind == Drive<2>::Kind::velocity);
  CHECK(std::get<Table>(plain.signal).time == std::vector<double>{1, 2, 3});
  CHECK(std::get<Table>(plain.signal).value == std::vector<double>{0, 2.5, 3.75});
  CHECK(std::get<Table>(drive(", baseline = \"none\"").signal).value ==
        std::get<Table>(plain.signal).value);
  CHECK(std::get<Table>(drive(", baseline = \"constant\"").signal).value ==
        std::vector<double>{0, 0.625, 0});
  const Table still = std::get<Table>(drive(", baseline = \"linear\"").signal);
  CHECK(still.value.size() == 3);
  for (const double v : still.value) CHECK(std::abs(v) < 1e-15);
  std::filesystem::remove_all(folder);
}

TEST_CASE("forces and torques name their body") {
  const Scene<3> scene = read<3>(space_scene(R"(
[[body]]
name = "ball"
shape = { ball = 1 }
material = "stone"

[[force]]
body = "ball"
direction = [0, 4, 0]
force = 12
point = [1, 0, 0]

[[force]]
body = "ball"
axis = [0, 0, -2]
torque = { sinusoid = { amplitude = 1, frequency = 1 } }
)"));
  REQUIRE(scene.forces.size() == 2);
  CHECK(scene.forces[0].body == 0);
  CHECK(scene.forces[0].direction == Vec<3>(0, 1, 0));
  CHECK(scene.forces[0].axis == Spin<3>(0, 0, 0));
  CHECK(scene.forces[0].point == Vec<3>(1, 0, 0));
  CHECK(value(scene.forces[0].signal, 0) == 12);
  CHECK(scene.forces[1].direction == Vec<3>(0, 0, 0));
  CHECK(scene.forces[1].axis == Spin<3>(0, 0, -1));
}

TEST_CASE("a spring rests at its length at the start unless told otherwise") {
  const std::string ball = R"(
[[body]]
name = "ball"
shape = { ball = 1 }
material = "stone"
position = [1, 10]
rotation = { degrees = 90 }
)";
  const Scene<2> scene = read<2>(plane_scene(ball + R"(
[[spring]]
between = ["world", "ball"]
anchors = [[1, 20], [1, 0]]
stiffness = 100

[[spring]]
between = ["ball", "floor"]
anchors = [[0, 0], [1, 0]]
damping = 3
rest_length = 0.5
)"));
  REQUIRE(scene.springs.size() == 2);
  const Spring<2>&hung = scene.springs[0], &tied = scene.springs[1];
  CHECK(hung.a == 1);
  CHECK(hung.b == -1);
  CHECK(hung.anchor_a == Vec<2>(1, 0));
  CHECK(hung.anchor_b == Vec<2>(1, 20));
  CHECK(hung.stiffness == 100);
  CHECK(hung.damping == 0);
  CHECK(hung.rest_length == doctest::Approx(9));  // the anchor turns with the ball, to (1, 11)
  CHECK(tied.a == 1);
  CHECK(tied.b == 0);
  CHECK(tied.rest_length == 0.5);
  CHECK(tied.damping == 3);
}

TEST_CASE("every bundled scene and template is read, and has a title") {
  int scenes = 0;
  for (const char* folder : {"scenes", "tools/templates"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TALUS_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".toml") continue;
      CAPTURE(entry.path().string());
      const SceneDocument document = read_scene(entry.path());
      CHECK_FALSE(
          std::visit([](const auto& scene) { return scene.title; }, document.scene).empty());
      ++scenes;
    }
  }
  CHECK(scenes >= 17);
}

TEST_CASE("overrides change the scene before it is checked, and are kept") {
  const std::string text = plane_scene(R"(
[[body]]
name = "ball"
shape = { ball = 1 }
material = "stone"
position = [0, 10]
)");
  const std::vector<std::string> overrides = {
      "time.step=2e-3",        "gravity=[0, -1]",  "gravity.0=3",
      "body.1.velocity=[1,0]", "body.ball.spin=4", "material.stone.friction=0.9",
      "dynamics=sweeping",     "title=two words",  "solver.tolerance=1e-8",
      "time.step=4e-3"};
  const SceneDocument document = read_scene_text(text, "test.toml", overrides);
  const auto& scene = std::get<Scene<2>>(document.scene);
  CHECK(scene.h == 4e-3);  // the last one wins
  CHECK(scene.end == 1);
  CHECK(scene.gravity == Vec<2>(3, -1));
  CHECK(scene.bodies[1].velocity == Vec<2>(1, 0));
  CHECK(scene.bodies[1].spin[0] == 4);
  CHECK(scene.laws(0, 0).friction == 0.9);
  CHECK(scene.dynamics == Dynamics::sweeping);
  CHECK(scene.title == "two words");
  CHECK(scene.solver.tolerance == 1e-8);
  CHECK(document.text == text);
  CHECK(document.overrides == overrides);
}

TEST_CASE("each body knows the line that describes it") {
  const SceneDocument document = read_scene_text(plane_scene(R"(
[[body]]
name = "ball"
shape = { ball = 1 }
material = "stone"
)"),
                                                 "dir/test.toml");
  CHECK(document.place_of_body(0) == "dir/test.toml:9:1");
  CHECK(document.place_of_body(1) == "dir/test.toml:16:1");
  CHECK(std::string(document.error_at_body(1, "body 'ball' overlaps 'floor' by 1 m").what()) ==
        "dir/test.toml:16:1: body 'ball' overlaps 'floor' by 1 m\n"
        "   16 | [[body]]\n"
        "      | ^");
}

TEST_CASE("an impact law is a name, or a table with its parameters") {
  const auto law_of = [](const std::string& value) {
    return read<2>(plane_scene(""), {"impact_law=" + value});
  };
  CHECK(std::holds_alternative<MoreauLaw>(read<2>(plane_scene("")).impact_law));
  CHECK(std::holds_alternative<MoreauLaw>(law_of("moreau").impact_law));
  CHECK(std::holds_alternative<PoissonLaw>(law_of("poisson").impact_law));
  CHECK(std::holds_alternative<ProjectionLaw>(law_of("projection").impact_law));

  const Scene<2> lzb = law_of(
      "{ law = 'lzb', exponent = 1, one_stiffness = true, tolerance = 1e-6, max_steps = 7, speed "
      "= 0.25 }");
  const LzbLaw& springs = std::get<LzbLaw>(lzb.impact_law);
  CHECK(springs.exponent == 1);
  CHECK(springs.one_stiffness);
  CHECK(springs.tolerance == 1e-6);
  CHECK(springs.max_steps == 7);
  CHECK(lzb.impact_speed == 0.25);

  const Scene<2> rocking = law_of(
      "{ law = 'matrix', neighbours = [0.2, 0.1], matrix = [[0, 0.9], [0.8, 0]], tangential = -0.7 "
      "}");
  const MatrixLaw& matrix = std::get<MatrixLaw>(rocking.impact_law);
  CHECK(matrix.neighbours == std::vector{0.2, 0.1});
  CHECK(matrix.E_nn(0, 1) == 0.9);
  CHECK(matrix.E_nn(1, 0) == 0.8);
  CHECK(matrix.E_tt(0, 0) == -0.7);
  CHECK(matrix.E_nt.size() == 0);
}

TEST_CASE("restitution is a number, a table over the speed or a power of it") {
  const Scene<2> scene = read<2>(
      plane_scene(""), {"material.stone.restitution={ table = [[1, 0.9], [2, 0.5]] }",
                        "material.stone.tangential_restitution={ power = { value = 0.6, speed = 4, "
                        "exponent = 0.5 } }"});
  const ContactLaw& law = scene.laws(0, 0);
  const auto at_speed = [&](double v) { return law_at(law, scene.coefficients_of_speed, v); };
  CHECK(at_speed(0).restitution == 0.9);
  CHECK(at_speed(1.5).restitution == doctest::Approx(0.7));
  CHECK(at_speed(9).restitution == 0.5);
  CHECK(at_speed(4).tangential_restitution == doctest::Approx(0.6));
  CHECK(at_speed(16).tangential_restitution == doctest::Approx(0.3));
  CHECK(at_speed(0.1).tangential_restitution == 1);
}
