// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// A cloud that falls in on itself, without gravity: balls and blocks in a cube, moving inwards.
template <int D>
Scene<D> cloud(const ContactLaw& law, bool with_blocks, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<BodyDescription<D>> bodies;
  const int side = D == 2 ? 5 : 3;
  for (int i = 0; i < (D == 2 ? side * side : side * side * side); ++i) {
    Vec<D> x;
    for (int d = 0, rest = i; d < D; ++d, rest /= side)
      x[d] = 0.13 * (rest % side - (side - 1) / 2.0) + 0.01 * uniform(random);
    BodyDescription<D> body = with_blocks && i % 3 == 0
                                  ? block<D>(sides<D>(0.07, 0.05, 0.06), x, uniform(random))
                                  : ball<D>(0.05 + 0.005 * uniform(random), x);
    body.velocity = -3 * x;
    for (int d = 0; d < D; ++d) body.velocity[d] += 0.3 * uniform(random);
    for (int d = 0; d < spin_dim<D>; ++d) body.spin[d] = 10 * uniform(random);
    bodies.push_back(body);
  }
  Scene<D> scene = scene_of<D>(1e-3, law, bodies);
  scene.gravity.setZero();
  scene.solver.tolerance = 1e-10;
  return scene;
}

template <int D>
Vec<D> momentum(const World<D>& world) {
  Vec<D> sum = Vec<D>::Zero();
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    sum += world.bodies().mass[i] * world.bodies().velocity[i];
  return sum;
}

template <int D>
Spin<D> angular_momentum(const World<D>& world) {
  const Bodies<D>& bodies = world.bodies();
  Spin<D> sum = Spin<D>::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += moment<D>(bodies.position[i], bodies.mass[i] * bodies.velocity[i]);
    sum += turned_inertia<D>(bodies.orientation[i], bodies.inertia[i]) * bodies.spin[i];
  }
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("collisions conserve momentum and angular momentum to rounding", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const ContactLaw& law : {ContactLaw{0.3, 0, 0}, ContactLaw{0.3, 0.7, 0.2}}) {
    Scene<D> scene = cloud<D>(law, true, 3);
    scene.correct_drift = false;  // it moves bodies, and so their moments of momentum
    World<D> world(scene);
    const Vec<D> P = momentum(world);
    const Spin<D> L = angular_momentum(world);
    double scale = 0, arm = 0;
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      scale += world.bodies().mass[i] * world.bodies().velocity[i].norm();
      arm = std::max(arm, world.bodies().position[i].norm());
    }
    double worst_P = 0, worst_L = 0;
    int contacts = 0;
    run(world, 300, [&](const Certificate& step) {
      worst_P = std::max(worst_P, (momentum(world) - P).norm() / scale);
      worst_L = std::max(worst_L, (angular_momentum(world) - L).norm() / (scale * arm));
      contacts += step.contacts;
    });
    REQUIRE(contacts > 25);
    bound("momentum, relative change", worst_P, 1e-13);
    bound("angular momentum, relative change", worst_L, 1e-13);
  }
}

TEST_CASE_TEMPLATE("with one restitution for all contacts and directions energy never rises", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double e : {0.0, 0.3, 0.7, 1.0}) {
    for (const double mu : {0.0, 0.3, 1.5}) {
      World<D> world(cloud<D>({mu, e, e}, true, 11));
      const double start = world.kinetic_energy();
      double worst = -1e9, last = start;
      run(world, 300, [&](const Certificate& step) {
        worst = std::max(worst, (step.kinetic - step.correction_work - last) / start);
        last = step.kinetic;
      });
      CAPTURE(mu);
      CAPTURE(e);
      bound("equal restitution, largest rise of energy in a step", std::max(0.0, worst), 1e-10);
      if (e == 1 && mu == 0) compare("elastic cloud, energy over start", last / start, 1, 1e-9);
    }
  }
}
