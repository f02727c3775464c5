// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

struct Bounces {
  std::vector<double> apex;  // clearance after each bounce [m]
  double rest = 0;           // last time with |v| ≥ 10 g h [s]
  double path = 0;           // [m]
  double worst_weight = 0;   // |p/(m g h) − 1| over the last 1000 steps
  double worst_rise = 0;     // [m] per step, over the last 1000 steps
};

template <int D>
Bounces drop(double height, double restitution, double h, double duration) {
  constexpr double r = 0.1;
  Scene<D> scene =
      scene_of<D>(h, {.restitution = restitution}, {ground<D>(), ball<D>(r, at<D>(0, r + height))});
  scene.solver.tolerance = 1e-12;
  World<D> world(scene);
  Bounces bounces;
  double z = height, v = 0, highest = 0;
  bool bounced = false;
  const int steps = static_cast<int>(duration / h);
  run(world, steps, [&](const Certificate& step) {
    const double z_now = world.bodies().position[1][D - 1] - r;
    const double v_now = world.bodies().velocity[1][D - 1];
    if (v < 0 && v_now > 0) {
      if (bounced) bounces.apex.push_back(highest);
      bounced = true;
      highest = 0;
    }
    highest = std::max(highest, z_now);
    if (std::abs(v_now) >= 10 * g * h) bounces.rest = step.time;
    bounces.path += std::abs(z_now - z);
    if (step.step > steps - 1000) {
      const double weight = world.bodies().mass[1] * g * h;
      const double p = percussion_between(world, 0, 1)[D - 1];
      bounces.worst_weight = std::max(bounces.worst_weight, std::abs(p / weight - 1));
      bounces.worst_rise = std::max(bounces.worst_rise, std::abs(z_now - z));
    }
    z = z_now;
    v = v_now;
  });
  return bounces;
}

}  // namespace

TEST_CASE_TEMPLATE("a bouncing ball loses e² of its height each time and rests after finite time",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {0.5, 0.8, 0.9}) {
    const double t_rest = std::sqrt(2 / g) * (1 + e) / (1 - e);
    const Bounces bounces = drop<D>(1, e, 1e-4, t_rest + 0.3);
    const std::string name = "A01 e = " + std::to_string(e) + ", ";
    REQUIRE(bounces.apex.size() >= 5);
    for (int k = 1; k <= 5; ++k) {
      const double expected = std::pow(e, 2 * k);
      compare(name + "apex [m]", bounces.apex[static_cast<std::size_t>(k - 1)], expected,
              5e-3 * expected);
    }
    compare(name + "time of rest [s]", bounces.rest, t_rest, 0.01 * t_rest);
    const double path = (1 + e * e) / (1 - e * e);
    compare(name + "path [m]", bounces.path, path, 0.01 * path);
    bound(name + "p/(m g h) − 1 at rest", bounces.worst_weight, 1e-10);
    bound(name + "motion at rest [m per step]", bounces.worst_rise, 1e-12);
  }
}
