// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// The same bodies in the plane and, as seen along the third axis, in space.
struct Twins {
  Scene<2> plane;
  Scene<3> space;
};

template <int D>
Scene<D> balls(double restitution) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-0.01, 0.01), speed(-1, 1);
  std::vector<BodyDescription<D>> bodies = {ground<D>(0.2), ground<D>(-0.3)};
  for (int i = 0; i < 12; ++i) {
    const double r = 0.04 + shift(random);
    const double x = 0.12 * (i % 4 - 1.5) + shift(random), z = 0.2 + 0.12 * (i / 4);
    const double v_x = speed(random), v_z = speed(random), spin = 20 * speed(random);
    BodyDescription<D> body = ball<D>(r, at<D>(x, z), at<D>(v_x, v_z));
    body.spin = spin * turning<D>();
    body.mass = 1000 * r * r;
    body.inertia = 0.5 * *body.mass * r * r * SpinMat<D>::Identity();
    bodies.push_back(body);
  }
  return scene_of<D>(
      1e-3,
      {.friction = 0.4, .restitution = restitution, .tangential_restitution = restitution / 2},
      bodies);
}

template <int D>
Scene<D> tumbling_block() {
  BodyDescription<D> body = block<D>(sides<D>(0.3, 0.2, 0.25), at<D>(0, 0.5), 0.3);
  body.velocity = at<D>(1, -0.5);
  body.spin = 2 * turning<D>();
  body.mass = 3;
  if constexpr (D == 2) body.inertia = SpinMat<2>(3 * (0.09 + 0.04) / 12);
  return scene_of<D>(1e-3, {.friction = 0.5}, {ground<D>(), body});
}

// Largest distance between the two motions, and from the plane.
double worst_difference(const Scene<2>& plane, const Scene<3>& space, int steps) {
  World<2> flat(plane);
  World<3> solid(space);
  Audit<2> flat_audit(flat);
  Audit<3> solid_audit(solid);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    flat_audit.add(flat, flat.step());
    solid_audit.add(solid, solid.step());
    for (std::size_t i = 0; i < plane.bodies.size(); ++i) {
      const Vec<2> x = flat.bodies().position[i], v = flat.bodies().velocity[i];
      const Vec<3> X = solid.bodies().position[i], V = solid.bodies().velocity[i];
      worst = std::max(worst, (X - Vec<3>(x[0], 0, x[1])).norm());
      worst = std::max(worst, (V - Vec<3>(v[0], 0, v[1])).norm());
      const Spin<3> spin = flat.bodies().spin[i][0] * turning<3>();
      worst = std::max(worst, 0.1 * (solid.bodies().spin[i] - spin).norm());
    }
  }
  flat_audit.check();
  solid_audit.check();
  return worst;
}

}  // namespace

TEST_CASE("balls that move in a plane in space move as in the plane") {
  for (const double e : {0.0, 0.5})
    bound("planar balls, 3D − 2D [m, m/s]", worst_difference(balls<2>(e), balls<3>(e), 300), 1e-8);
}

TEST_CASE("a block that tumbles in a plane in space tumbles as in the plane") {
  bound("planar block, 3D − 2D [m, m/s]",
        worst_difference(tumbling_block<2>(), tumbling_block<3>(), 1500), 1e-8);
}
