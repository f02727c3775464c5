// SPDX-License-Identifier: Apache-2.0
// Joints among many contacts: a bed of disks between plates on sliders.
#include <cstring>

#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

// Plates of the sides are pushed inwards, the lid comes down. They are locked against turning in
// either scene; sliders hold them at their height, too.
std::string bed(bool sliders) {
  std::string text = R"(
dimension = 2
time      = { step = 1e-3, end = 0.03 }
solver    = { tolerance = 1e-4 }
[material.grain]
density  = 2600
friction = 0.5
[material.plate]
density  = 2600
friction = 0
[[contact]]
between  = ["grain", "plate"]
friction = 0
[[body]]
name     = "bottom"
shape    = { box = [0.29, 0.05] }
position = [0, -0.025]
material = "plate"
fixed    = true
[[body]]
name     = "top"
shape    = { box = [0.29, 0.05] }
position = [0, 0.32]
material = "plate"
drive    = [{ direction = [0, -1], velocity = 0.05 }]
[[packing]]
count    = 150
region   = { box = [0.30, 0.29] }
radius   = [0.009, 0.012]
fill     = "deposit"
seed     = 3
material = "grain"
)";
  for (const int side : {-1, 1}) {
    const std::string name = side < 0 ? "left" : "right";
    const std::string x = std::to_string(0.175 * side);
    text += "[[body]]\nname = \"" + name + "\"\nshape = { box = [0.05, 0.7] }\nposition = [" + x +
            ", 0.2]\nmaterial = \"plate\"\nrotation_locked = true\n" + "[[force]]\nbody = \"" +
            name + "\"\ndirection = [" + std::to_string(-side) + ", 0]\nforce = 300\n";
    if (sliders)
      text += "[[joint]]\nkind = \"slider\"\nbetween = [\"bottom\", \"" + name + "\"]\nat = [" + x +
              ", 0.2]\naxis = [1, 0]\n";
  }
  return text;
}

struct Pressed {
  std::int64_t sweeps = 0, missed = 0;
  double drift = 0;  // of the joints [m]
  std::vector<Vec<2>> position;
};

Pressed press(bool sliders, int thread_count) {
  World<2> world(std::get<Scene<2>>(read_scene_text(bed(sliders), "bed.toml").scene));
  world.use_threads(thread_count);
  Pressed pressed;
  for (int k = 0; k < 30; ++k) {
    const Certificate step = world.step();
    pressed.sweeps += step.sweeps;
    pressed.missed += !step.converged;
    pressed.drift = std::max(pressed.drift, step.joint_drift);
  }
  pressed.position = world.bodies().position;
  return pressed;
}

}  // namespace

TEST_CASE("two sliders beside a bed cost less than twice the sweeps, and hold to rounding") {
  const Pressed without = press(false, 1), with = press(true, 1), again = press(true, 3);
  CHECK(without.missed == 0);
  CHECK(with.missed == 0);
  CHECK(with.sweeps < 2 * without.sweeps);
  CHECK(with.drift <= 1e-12);
  REQUIRE(again.position.size() == with.position.size());
  CHECK(std::memcmp(again.position.data(), with.position.data(),
                    with.position.size() * sizeof(Vec<2>)) == 0);
}
