// SPDX-License-Identifier: Apache-2.0
// A program of its own, for it counts every allocation.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"
#include "solvers/math/parallel.hpp"

namespace {

std::atomic<long> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  // aligned_alloc wants whole multiples.
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment))
    return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace talus {

namespace {

constexpr const char* head = R"(
gravity = [GRAVITY]
time = { step = 1e-3, end = 1, save_every = 100 }
solver = { tolerance = 1e-3 }
material.stone = { density = 2500, friction = 0.5 }
body = [{ name = "floor", shape = { halfspace = [UP] }, material = "stone", fixed = true }]
)";

// In the plane and in space; cuts bodies of every generator below.
constexpr const char* measures = R"(
[[measure]]
region = { ball = 0.1 }
quantities = ["solid_fraction", "coordination", "stress", "kinetic_stress"]
)";

std::string cube_of_balls(int side) {
  const std::string count = std::to_string(side);
  return "[[grid]]\ncounts = [" + count + ", " + count + ", " + count + "]" + R"(
shape = { ball = 0.01 }
spacing = [0.02, 0.02, 0.02]
position = [0, 0, 0.01]
material = "stone"
)";
}

template <int D>
World<D> world_of(const std::string& generator) {
  std::string text = "dimension = " + std::to_string(D) + head;
  const auto replace = [&](const std::string& word, const std::string& by) {
    text.replace(text.find(word), word.size(), by);
  };
  replace("GRAVITY", D == 2 ? "0, -9.81" : "0, 0, -9.81");
  replace("UP", D == 2 ? "0, 1" : "0, 0, 1");
  return World<D>(std::get<Scene<D>>(read_scene_text(text + generator + measures, "test").scene));
}

template <int D>
long allocations_of_warm_steps(World<D> world, int steps_before = 300) {
  for (int k = 0; k < steps_before; ++k) world.step();
  // Warm: it has made these very steps before, so that no array has to grow.
  const WorldState<D> state = world.state();
  for (int k = 0; k < 20; ++k) world.step();
  world.restore(state);
  const long before = allocations;
  int contacts = 0;
  for (int k = 0; k < 20; ++k) contacts += world.step().contacts;
  REQUIRE(contacts > 20 * 10);
  return allocations - before;
}

}  // namespace

TEST_CASE("a warm step of a heap or a wall allocates nothing") {
  const std::string wall2 = R"(
[[wall]]
block = [0.124, 0.049]
courses = 5
blocks = 5
material = "stone"
)";
  const std::string wall3 = R"(
[[wall]]
block = [0.124, 0.049, 0.062]
courses = 4
blocks = 4
material = "stone"
)";
  for (const int count : {1, 2}) {
    CAPTURE(count);
    set_threads(count);
    CHECK(allocations_of_warm_steps(world_of<2>(wall2)) == 0);
    CHECK(allocations_of_warm_steps(world_of<3>(wall3)) == 0);
    CHECK(allocations_of_warm_steps(world_of<3>(cube_of_balls(6))) == 0);
  }
  set_threads(1);
}

TEST_CASE("a warm step of a mortared wall allocates nothing") {
  const std::string wall = R"(
[material.brick]
density = 2000
friction = 0.5
bond = { tension = 1e5, cohesion = 1e5, fracture_energy = 10 }
[[contact]]
between = ["stone", "brick"]
friction = 0.5
[[wall]]
block = [0.124, 0.049]
courses = 4
blocks = 4
material = "brick"
)";
  CHECK(allocations_of_warm_steps(world_of<2>(wall), 50) == 0);
}

TEST_CASE("a warm step of a sweeping process allocates nothing") {
  // A curved wall pushes balls along the floor; it takes several iterations.
  const std::string balls = R"(dynamics = "sweeping"
[[grid]]
counts = [4, 4]
shape = { ball = 0.01 }
spacing = [0.02, 0.02]
position = [-0.03, 0.01]
material = "stone"
[[set]]
inside = "0.05*t - 0.035 - x + y^2"
)";
  CHECK(allocations_of_warm_steps(world_of<2>(balls)) == 0);
}

TEST_CASE("nor does one of a heap so large that threads share all of it") {
  set_threads(2);
  long allocated = 0;
  parallel_team([&] {
    allocated = allocations_of_warm_steps(world_of<3>(cube_of_balls(17)), 10);
  });  // as runs
  CHECK(allocated == 0);
  set_threads(1);
}

}  // namespace talus
