// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/logs.hpp"
#include "tests/physics/rocking.hpp"

using namespace talus;
using namespace talus::physics;

// Lengths times s, times times √s, gravity as it is: nothing dimensionless may change.

namespace {

template <int D>
std::vector<double> rocking_angles(double s) {
  World<D> world(rocking_scene<D>({0.25 * s, 1.0 * s, 0.5}, 1e-3 * std::sqrt(s)));
  std::vector<double> angles;
  run(
      world, 1500, [&](const Certificate&) { angles.push_back(angle_of(world, 1)); }, 1e-4);
  return angles;
}

template <int D>
std::vector<double> log_heights(double s, double mu_logs, double mu_ground) {
  World<D> world(logs_scene<D>(0.05 * s, mu_logs, mu_ground, 1e-3 * std::sqrt(s)));
  std::vector<double> heights;
  run(world, 600, [&](const Certificate&) {
    for (const int i : {1, 2, 3})
      for (const int d : {0, D - 1})
        heights.push_back(world.bodies().position[static_cast<std::size_t>(i)][d] / (0.05 * s));
  });
  return heights;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("a rocking block rocks alike at any size", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const std::vector<double> at_one = rocking_angles<D>(1);
  for (const double s : {1e-3, 1e3})
    bound("D05 rocking block, angle at scale s − at scale 1 [rad]",
          worst_difference(rocking_angles<D>(s), at_one), 1e-9);
}

TEST_CASE_TEMPLATE("three logs stand or fall alike at any size", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const auto& [mu_logs, mu_ground] : {std::pair{0.271, 0.5}, std::pair{0.2, 0.5}}) {
    const std::vector<double> at_one = log_heights<D>(1, mu_logs, mu_ground);
    for (const double s : {1e-3, 1e3})
      bound("D05 three logs, positions at scale s − at scale 1",
            worst_difference(log_heights<D>(s, mu_logs, mu_ground), at_one), 1e-9);
  }
}
