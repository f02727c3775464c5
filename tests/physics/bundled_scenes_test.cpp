// The bundled scenes keep what their headers promise.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/world.hpp"
#include "io/scene_reader.hpp"

using namespace talus;

namespace {

template <int D>
World<D> bundled(const std::string& name, std::vector<std::string> overrides = {}) {
  const auto document = read_scene(TALUS_SOURCE_DIR "/scenes/" + name + ".toml", overrides);
  return World<D>(std::get<Scene<D>>(document.scene));
}

// Runs to the scene's end; the worst penetration on the way [m].
template <int D>
double run_out(World<D>& world) {
  double penetration = 0;
  while (world.time() < world.scene().end * (1 - 1e-12)) {
    penetration = std::max(penetration, world.step().max_penetration);
  }
  return penetration;
}

template <int D>
double farthest_moved(const World<D>& world, const std::vector<Vec<D>>& start) {
  double farthest = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    farthest = std::max(farthest, (world.bodies().position[i] - start[i]).norm());
  }
  return farthest;
}

}  // namespace

TEST_CASE("the arch, the stack and the logs stand") {
  for (const std::string name : {"arch", "stack", "logs"}) {
    CAPTURE(name);
    World<2> world = bundled<2>(name);
    const auto start = world.bodies().position;
    run_out(world);
    CHECK(farthest_moved(world, start) < 1e-5);
  }
}

TEST_CASE("the stack falls beyond its limit") {
  World<2> world = bundled<2>("stack", {"stack.0.factor=1.01"});
  const auto start = world.bodies().position;
  run_out(world);
  CHECK(farthest_moved(world, start) > 0.05);
}

TEST_CASE("the bouncing ball rests after 4.064 s") {
  World<3> world = bundled<3>("bouncing");
  double last_moving = 0;
  while (world.time() < 5) {
    world.step();
    if (world.bodies().velocity[1].norm() > 10 * 9.81 * world.scene().h) last_moving = world.time();
  }
  CHECK(last_moving == doctest::Approx(4.064).epsilon(0.01));
}

TEST_CASE("the rough block stays, the smooth one slides") {
  World<2> world = bundled<2>("incline");
  run_out(world);
  std::vector<double> speeds;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (world.bodies().moves_freely(i)) speeds.push_back(world.bodies().velocity[i].norm());
  }
  std::sort(speeds.begin(), speeds.end());
  REQUIRE(speeds.size() == 2);
  CHECK(speeds[0] < 1e-9);
  CHECK(speeds[1] == doctest::Approx(2.356287).epsilon(1e-5));
}

TEST_CASE("the wall cracks over the sinking plate and does not sink into itself") {
  World<2> world = bundled<2>("wall");
  const auto start = world.bodies().position;
  CHECK(run_out(world) < 0.01 * 0.049);
  double left = 0, right = 0;  // how far blocks sank beyond the crack's reach on either side
  int blocks = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!world.bodies().moves_freely(i)) continue;
    ++blocks;
    const double sunk = start[i][1] - world.bodies().position[i][1];
    if (start[i][0] < -0.5) left = std::max(left, sunk);
    if (start[i][0] > 0.5) right = std::max(right, std::abs(sunk));
  }
  CHECK(blocks == 105);
  CHECK(left == doctest::Approx(0.06).epsilon(0.1));
  CHECK(right < 5e-3);
}
