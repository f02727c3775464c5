// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <variant>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/step/ledger.hpp"
#include "io/scene/scene_reader.hpp"
#include "solvers/math/statistics.hpp"

using namespace talus;

namespace {

constexpr const char* packing = R"(
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
[material.sand]
density = 2500
friction = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "sand"
fixed = true
[[packing]]
name = "bed"
count = 30
region = { box = [0.2, 0.4] }
radius = [0.008, 0.012]
fill = "deposit"
position = [0, 0.21]
material = "sand"
)";

double potential_energy_of_seed(int seed) {
  const std::vector<std::string> overrides = {fmt::format("packing.0.seed={}", seed)};
  const SceneDocument document = read_scene_text(packing, "packing.toml", overrides);
  const auto& scene = std::get<Scene<2>>(document.scene);
  return potential_energy<2>(make_bodies<2>(scene), scene);
}

}  // namespace

TEST_CASE("of fifty small packings of five seeds, 95 % have the mean of all in their interval") {
  constexpr int repetitions = 50, seeds = 5, many = 1000;
  std::vector<double> energies;
  for (int seed = 0; seed < many; ++seed) energies.push_back(potential_energy_of_seed(seed));
  const double mean = std::accumulate(energies.begin(), energies.end(), 0.0) / many;
  int held = 0;
  for (int k = 0; k < repetitions; ++k) {
    const MeanInterval interval =
        mean_interval(std::span(energies).subspan(std::size_t(k) * seeds, seeds));
    REQUIRE(interval.deviation > 0);
    held += std::abs(interval.mean - mean) <= interval.half_width;
  }
  // 47.5 expected; of honest intervals, one in a thousand sets holds fewer than 42.
  CHECK(held >= 42);
  CHECK(held <= 50);
}
