// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// n blocks of width w on the edge of a table; the k-th joint from the top overhangs by s w/(2k).
// The edge is at x = 0, block 1 is the lowest.
template <int D>
World<D> overhanging(int n, double s) {
  constexpr double w = 0.2, height = 0.05;
  BodyDescription<D> table = block<D>(sides<D>(1, 1, 1), at<D>(-0.5, -0.5));
  table.fixed = true;
  table.material = 0;
  std::vector<BodyDescription<D>> bodies = {table};
  double right = 0;  // right side of the block below
  for (int i = 0; i < n; ++i) {
    right += s * w / (2.0 * (n - i));
    bodies.push_back(block<D>(sides<D>(w, height, w), at<D>(right - w / 2, (i + 0.5) * height)));
  }
  return World<D>(scene_of<D>(1e-3, {.friction = 0.5}, bodies));
}

}  // namespace

TEST_CASE_TEMPLATE("a harmonic stack stands just inside its limit and falls just outside", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (int n = 2; n <= 5; ++n) {
    const auto top = static_cast<std::size_t>(n);
    double overhang = 0;
    for (int k = 1; k <= n; ++k) overhang += 0.2 / (2.0 * k);

    World<D> standing = overhanging<D>(n, 0.99);
    const Vec<D> start = standing.bodies().position[top];
    compare("C01 n = " + std::to_string(n) + ", overhang over its limit",
            (start[0] + 0.1) / overhang, 0.99, 1e-12);
    run(standing, 5000);
    bound("C01 n = " + std::to_string(n) + ", motion of the top block at s = 0.99 [m]",
          (standing.bodies().position[top] - start).norm(), 1e-6);

    World<D> falling = overhanging<D>(n, 1.01);
    const Vec<D> before = falling.bodies().position[top];
    for (int k = 0; k < 5000; ++k) falling.step();  // blocks turn on their edges and knock about
    CHECK(falling.bodies().position[top][D - 1] < before[D - 1] - 0.05);
  }
}

// VALIDATION D06: the lowest joint carries forty-nine times what the highest does. Velocities right
// to ‖e‖ ≤ 1e-8 √n g h leave percussions right to ‖e‖/λ_min(W), and the least eigenvalue of a
// column of n masses m is (π/2n)²/m.
TEST_CASE_TEMPLATE("fifty boxes on each other are solved to 1e-8 and carry what is above", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int count = 50;
  constexpr double h = 1e-3, side = 0.2;
  Scene<D> scene = scene_of<D>(h, {0.5, 0, 0}, {ground<D>()});
  scene.solver = {.tolerance = 1e-8, .max_sweeps = 10000};
  for (int i = 0; i < count; ++i)
    scene.bodies.push_back(block<D>(sides<D>(side, side, side), at<D>(0, side * (i + 0.5))));
  World<D> world(scene);
  for (int k = 0; k < 20; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(step.error <= 1e-8);
  }
  const double weight = world.bodies().mass[1] * g * h;
  const double allowed = 1e-8 * std::sqrt(count) * std::pow(2 * count / pi, 2) * weight;
  for (int i = 0; i < count; ++i) {
    const Vec<D> carried = (count - i) * weight * up<D>();
    CHECK((percussion_between<D>(world, i, i + 1) - carried).norm() <= allowed);
  }
}
