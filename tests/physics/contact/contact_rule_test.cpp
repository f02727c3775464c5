// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double r = 0.1, h = 1e-3;

template <int D>
Scene<D> dropped(double restitution, ContactRule rule) {
  Scene<D> scene =
      scene_of<D>(h, {.restitution = restitution}, {ground<D>(), ball<D>(r, at<D>(0, r + 0.3))});
  scene.contact_rule = rule;
  scene.correct_drift = false;
  return scene;
}

}  // namespace

// Moreau's own rule: a contact acts when the gap at q_m is closed, and knows nothing of positions.
TEST_CASE_TEMPLATE("with the rule of Moreau a ball follows his scheme", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {0.0, 0.6}) {
    World<D> world(dropped<D>(e, ContactRule::moreau));
    double z = 0.3, v = 0, worst = 0, deepest = 0;
    run(world, 1500, [&](const Certificate&) {
      const double z_m = z + h / 2 * v;
      double v_next = v - g * h;
      if (z_m <= 0) v_next = std::max(v_next, -e * v);
      v = v_next;
      z = z_m + h / 2 * v;
      deepest = std::min(deepest, z_m);
      worst = std::max(worst, std::abs(world.bodies().position[1][D - 1] - r - z));
      worst = std::max(worst, std::abs(world.bodies().velocity[1][D - 1] - v));
    });
    bound("rule of Moreau, deviation from the recursion [m, m/s]", worst, 1e-11);
    CHECK(deepest < -1e-5);
  }
}

TEST_CASE_TEMPLATE("with look-ahead a ball that does not bounce stops on the surface", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  World<D> world(dropped<D>(0, ContactRule::lookahead));
  double lowest = 1;
  run(world, 500, [&](const Certificate&) {
    lowest = std::min(lowest, world.bodies().position[1][D - 1] - r);
  });
  bound("look-ahead, deepest point below the surface [m]", std::min(0.0, lowest), 1e-12);
  bound("look-ahead, height at rest [m]", world.bodies().position[1][D - 1] - r, 1e-12);
}

TEST_CASE_TEMPLATE("overlap at the start is taken out by moving bodies, on its own energy line",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double overlap = 1e-3;
  Scene<D> scene = scene_of<D>(h, {}, {ground<D>(), ball<D>(r, at<D>(0, r - overlap))});
  for (const bool correct : {true, false}) {
    scene.correct_drift = correct;
    World<D> world(scene);
    double correction = 0, fastest_seen = 0, before = -overlap;
    bool rises = true;
    for (int k = 0; k < 200; ++k) {
      const Certificate step = world.step();
      correction += step.correction_work;
      fastest_seen = std::max(fastest_seen, world.bodies().velocity[1].norm());
      const double now = world.bodies().position[1][D - 1] - r;
      rises = rises && now >= before - 1e-15 && now <= 1e-12;
      before = now;
    }
    CHECK(rises);
    bound("overlap, speed given by its correction [m/s]", fastest_seen, 1e-12);
    const double weight = world.bodies().mass[1] * g;
    compare("overlap, energy of its correction over m g δ", correction / (weight * overlap),
            correct ? 1 : 0, 1e-3);
    compare("overlap, what is left of it", -before / overlap, correct ? 0 : 1, 1e-3);
  }
}
