// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/logs.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double r = 0.05;
const double tan15 = std::tan(15 * degree);

}  // namespace

TEST_CASE_TEMPLATE(
    "three logs stand while friction is above tan 15° between them and a third of it "
    "on the ground",
    Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const auto& [mu_logs, mu_ground] : {std::pair{0.271, 0.5}, std::pair{0.5, 0.0903}}) {
    World<D> world(logs_scene<D>(r, mu_logs, mu_ground, 1e-3));
    run(world, 5000);
    bound("A19 mu = (" + std::to_string(mu_logs) + ", " + std::to_string(mu_ground) +
              "), speed after 5 s [m/s]",
          fastest(world.bodies()), 1e-6);
  }
  for (const auto& [mu_logs, mu_ground] : {std::pair{0.265, 0.5}, std::pair{0.5, 0.0884}}) {
    World<D> world(logs_scene<D>(r, mu_logs, mu_ground, 1e-3));
    for (int k = 0; k < 5000; ++k) world.step();  // they roll apart and knock about
    const double sunk = (1 + std::sqrt(3)) * r - world.bodies().position[3][D - 1];
    CHECK(sunk > r);
  }
}

TEST_CASE_TEMPLATE("three logs at rest share the weight as statics says", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  World<D> world(logs_scene<D>(r, 0.6, 0.6, 1e-3));
  run(world, 100);
  const double W = world.bodies().mass[3] * g * world.scene().h;
  const Vec<D> normal = at<D>(0.5, std::sqrt(3) / 2);  // from log 1 to log 3
  const Vec<D> tangent = at<D>(-std::sqrt(3) / 2, 0.5);
  const Vec<D> top = percussion_between(world, 1, 3);
  compare("A19 top contact, normal force over weight", top.dot(normal) / W, 0.5, 1e-6);
  compare("A19 top contact, friction over weight", top.dot(tangent) / W, tan15 / 2, 1e-6);
  compare("A19 ground, normal force over weight", percussion_between(world, 0, 1)[D - 1] / W, 1.5,
          1e-6);
  bound("A19 between the lower logs, force over weight", percussion_between(world, 1, 2).norm() / W,
        1e-6);
}
