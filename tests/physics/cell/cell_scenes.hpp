// SPDX-License-Identifier: Apache-2.0
// Small worlds in periodic cells.
#pragma once

#include <random>

#include "tests/physics/support.hpp"

namespace talus::physics {

template <int D>
Cell<D> cell_of(const Vec<D>& size) {
  Cell<D> cell;
  cell.size = size;
  cell.periodic.fill(true);
  return cell;
}

template <int D>
Vec<D> momentum(const Bodies<D>& bodies) {
  Vec<D> sum = Vec<D>::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) sum += bodies.mass[i] * bodies.velocity[i];
  return sum;
}

// Σ m |v|, what momentum is small against.
template <int D>
double momentum_scale(const Bodies<D>& bodies) {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) sum += bodies.mass[i] * bodies.velocity[i].norm();
  return sum;
}

// Balls without weight in a cell of side 1 on a distorted grid, with random velocities.
template <int D>
Scene<D> gas(const ContactLaw& law, int along_axis, double radius, std::uint64_t seed, double h) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<BodyDescription<D>> bodies;
  const double spacing = 1.0 / along_axis;
  const int count = D == 2 ? along_axis * along_axis : along_axis * along_axis * along_axis;
  for (int i = 0; i < count; ++i) {
    Vec<D> centre, velocity;
    for (int k = 0, rest = i; k < D; ++k, rest /= along_axis) {
      centre[k] =
          (rest % along_axis + 0.3) * spacing + 0.9 * (0.5 * spacing - radius) * uniform(random);
      velocity[k] = uniform(random);
    }
    bodies.push_back(ball<D>(radius, centre, velocity));
  }
  Scene<D> scene = scene_of<D>(h, law, std::move(bodies));
  scene.gravity.setZero();
  scene.cell = cell_of<D>(Vec<D>::Ones());
  return scene;
}

}  // namespace talus::physics
