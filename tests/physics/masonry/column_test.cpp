// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr int N = 20;
constexpr double r = 0.01;

template <int D>
void stand(double friction, double top_mass_ratio) {
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int k = 0; k < N; ++k) bodies.push_back(ball<D>(r, at<D>(0, (2 * k + 1) * r)));
  Scene<D> scene = scene_of<D>(1e-3, {.friction = friction}, bodies);
  const double m = World<D>(scene).bodies().mass[1];
  scene.bodies.back().mass = top_mass_ratio * m;
  scene.solver.max_sweeps = 10000000;
  World<D> world(scene);

  run(world, 1000);

  double worst_reaction = 0, worst_speed = 0, worst_drift = 0;
  for (int k = 1; k <= N; ++k) {  // contact k, from the ground
    const double carried = (N - k + top_mass_ratio) * m * g;
    const double reaction = percussion_between(world, k - 1, k)[D - 1] / scene.h;
    worst_reaction = std::max(worst_reaction, std::abs(reaction / carried - 1));
    const auto i = static_cast<std::size_t>(k);
    worst_speed = std::max(worst_speed, world.bodies().velocity[i].norm());
    const Vec<D> start = scene.bodies[i].position;
    worst_drift = std::max(worst_drift, (world.bodies().position[i] - start).norm());
  }
  const std::string name = "A02 mu = " + std::to_string(friction) + ", top ball × " +
                           std::to_string(static_cast<int>(top_mass_ratio)) + ", ";
  bound(name + "reaction over weight carried − 1", worst_reaction, 1e-8);
  bound(name + "speed after 1 s [m/s]", worst_speed, 1e-10);
  bound(name + "drift after 1 s [m]", worst_drift, 1e-9);
}

}  // namespace

TEST_CASE_TEMPLATE("each ball of a column carries the weight above it", Dim, Plane, Solid) {
  for (const double friction : {0.0, 0.5}) stand<Dim::value>(friction, 1);
}

TEST_CASE_TEMPLATE("light balls carry one a thousand times heavier", Dim, Plane, Solid) {
  for (const double friction : {0.0, 0.5}) stand<Dim::value>(friction, 1000);
}
