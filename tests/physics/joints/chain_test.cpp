// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double r = 0.05;

// Balls in a line, neighbours `gap` apart.
template <int D>
World<D> chain(const std::vector<double>& speeds, double e, double gap, double h) {
  std::vector<BodyDescription<D>> bodies;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const double x = static_cast<double>(i) * (2 * r + gap);
    bodies.push_back(ball<D>(r, at<D>(x, 0), at<D>(speeds[i], 0)));
  }
  Scene<D> scene = scene_of<D>(h, {.restitution = e}, bodies);
  scene.gravity.setZero();
  scene.solver.tolerance = 1e-13;
  return World<D>(scene);
}

template <int D>
double worst_deviation(const World<D>& world, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, (world.bodies().velocity[i] - at<D>(expected[i], 0)).norm());
  return worst;
}

std::vector<double> first_then(double first, double others, int n) {
  std::vector<double> v(static_cast<std::size_t>(n), others);
  v[0] = first;
  return v;
}

}  // namespace

// With 0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 at every contact, v⁺ = −e v⁻ + (1 + e) proj(v⁻) where proj goes on
// the non-decreasing sequences.
TEST_CASE_TEMPLATE("a touching chain shares an impact by Moreau's law", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  struct Case {
    int n;
    double e;
    std::vector<double> before, after;
  };
  const std::vector<Case> cases = {
      {3, 1, first_then(1, 0, 3), first_then(-1.0 / 3, 2.0 / 3, 3)},
      {5, 1, first_then(1, 0, 5), first_then(-0.6, 0.4, 5)},
      {5, 0.9, first_then(1, 0, 5), first_then(-0.52, 0.38, 5)},
      {5, 0.5, first_then(1, 0, 5), first_then(-0.2, 0.3, 5)},
      {5, 0, first_then(1, 0, 5), first_then(0.2, 0.2, 5)},
      {10, 1, first_then(1, 0, 10), first_then(-0.8, 0.2, 10)},
      {5, 1, {1, 1, 0, 0, 0}, {-0.2, -0.2, 0.8, 0.8, 0.8}},
  };
  for (const Case& c : cases) {
    World<D> world = chain<D>(c.before, c.e, 0, 1e-4);
    const double before = world.kinetic_energy();
    run(world, 1);
    const std::string name =
        "A13 N = " + std::to_string(c.n) + ", e = " + std::to_string(c.e) + ", ";
    bound(name + "velocity − law [m/s]", worst_deviation(world, c.after), 1e-10);
    double ratio = 0, incoming = 0;
    for (const double v : c.after) ratio += v * v;
    for (const double v : c.before) incoming += v * v;
    compare(name + "energy ratio", world.kinetic_energy() / before, ratio / incoming, 1e-10);
  }
}

TEST_CASE_TEMPLATE("a chain with gaps hands the impact from ball to ball", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const int n : {3, 5}) {
    World<D> world = chain<D>(first_then(1, 0, n), 1, 1e-3, 1e-4);
    run(world, 100);
    std::vector<double> expected(static_cast<std::size_t>(n), 0.0);
    expected.back() = 1;
    bound("A13 with gaps, velocity − (0, …, 0, 1) [m/s]", worst_deviation(world, expected), 1e-9);
  }
}

TEST_CASE_TEMPLATE("a touching column leaves a wall with e times its speed", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {0.0, 0.5, 0.9, 1.0}) {
    std::vector<BodyDescription<D>> bodies = {ground<D>()};
    for (int i = 0; i < 5; ++i)
      bodies.push_back(ball<D>(r, at<D>(0, (2 * i + 1) * r), at<D>(0, -2)));
    Scene<D> scene = scene_of<D>(1e-4, {.restitution = e}, bodies);
    scene.gravity.setZero();
    scene.solver.tolerance = 1e-13;
    World<D> world(scene);
    run(world, 1);
    double worst = 0;
    for (std::size_t i = 1; i <= 5; ++i)
      worst = std::max(worst, (world.bodies().velocity[i] - at<D>(0, 2 * e)).norm());
    bound("A13 column on a wall, velocity − e v [m/s]", worst, 1e-10);
  }
}
