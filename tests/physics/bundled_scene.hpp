// SPDX-License-Identifier: Apache-2.0
// Runs the scenes of scenes/ as they are bundled.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "engine/world.hpp"
#include "io/scene/scene_reader.hpp"

namespace talus {

// A world made from scenes/NAME.toml.
template <int D>
World<D> open(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto path = std::filesystem::path(TALUS_SOURCE_DIR) / "scenes" / (name + ".toml");
  World<D> world(std::get<Scene<D>>(read_scene(path, overrides).scene));
  REQUIRE(world.initial_overlaps().empty());
  return world;
}

template <int D>
std::size_t body(const World<D>& world, const std::string& name) {
  const auto& bodies = world.scene().bodies;
  const auto found =
      std::find_if(bodies.begin(), bodies.end(), [&](const auto& b) { return b.name == name; });
  REQUIRE_MESSAGE(found != bodies.end(), name);
  return static_cast<std::size_t>(found - bodies.begin());
}

// Steps to the end of the scene; every step must be solved and close its energy balance. Returns
// the worst penetration [m].
template <int D>
double run(
    World<D>& world, const std::function<void()>& after_step = [] {}) {
  const auto steps = std::llround(world.scene().end / world.scene().h);
  int unsolved = 0;
  double defect = 0, penetration = 0;
  for (std::int64_t k = 0; k < steps; ++k) {
    const Certificate step = world.step();
    unsolved += !step.converged;
    if (step.turnover > 0) defect = std::max(defect, std::abs(step.defect) / step.turnover);
    penetration = std::max(penetration, step.max_penetration);
    after_step();
  }
  CHECK(unsolved == 0);
  CHECK(defect <= 1e-10);
  return penetration;
}

// How far mass centres have come since the start [m].
template <int D>
struct Displacement {
  explicit Displacement(const World<D>& world) : start(world.bodies().position) {}

  double of(const World<D>& world, std::size_t i) const {
    return (world.bodies().position[i] - start[i]).norm();
  }
  double largest(const World<D>& world) const {
    double d = 0;
    for (std::size_t i = 0; i < start.size(); ++i) d = std::max(d, of(world, i));
    return d;
  }

  std::vector<Vec<D>> start;
};

}  // namespace talus
