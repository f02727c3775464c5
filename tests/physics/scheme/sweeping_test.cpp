// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Nearest point to q in { x : n_i·(x − c_i) ≥ 0 }: the best of the projections on the walls taken
// none, one or two at a time that is admissible.
template <int D>
Vec<D> project(const Vec<D>& q, const std::vector<Vec<D>>& n, const std::vector<double>& c) {
  Vec<D> best = Vec<D>::Constant(1e9);
  const auto consider = [&](const Vec<D>& x) {
    for (std::size_t i = 0; i < n.size(); ++i)
      if (n[i].dot(x) < c[i] - 1e-12) return;
    if ((x - q).norm() < (best - q).norm()) best = x;
  };
  consider(q);
  for (std::size_t i = 0; i < n.size(); ++i) {
    consider(q + (c[i] - n[i].dot(q)) * n[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const double cosine = n[i].dot(n[j]), d = 1 - cosine * cosine;
      if (d < 1e-9) continue;
      const double a = c[i] - n[i].dot(q), b = c[j] - n[j].dot(q);
      consider(q + (a - cosine * b) / d * n[i] + (b - cosine * a) / d * n[j]);
    }
  }
  return best;
}

template <int D>
Scene<D> sweeping_scene(double h, std::vector<BodyDescription<D>> bodies) {
  Scene<D> scene = scene_of<D>(h, {}, std::move(bodies));
  scene.dynamics = Dynamics::sweeping;
  scene.gravity.setZero();
  return scene;
}

}  // namespace

TEST_CASE_TEMPLATE("a point swept by half-spaces moves by projections", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.01, h = 0.01;
  // A channel that goes up and down, and a slanting wall that comes and goes.
  const std::vector<Vec<D>> n = {at<D>(0, 1), at<D>(0, -1), at<D>(std::cos(0.4), std::sin(0.4))};
  const std::vector<Signal> position = {Sinusoid{1, 1, 0, -0.6}, Sinusoid{-1, 1, 0, -0.6},
                                        Table{{0, 1, 2, 3}, {-1, 1.5, -1, 2}}};
  std::vector<BodyDescription<D>> bodies;
  for (std::size_t i = 0; i < n.size(); ++i) {
    BodyDescription<D> wall;
    wall.shapes = {HalfSpace<D>{n[i], 0}};
    wall.position = value(position[i], 0) * n[i];
    wall.drives = {drive_along<D>(Drive<D>::Kind::position, n[i], position[i])};
    bodies.push_back(wall);
  }
  bodies.push_back(ball<D>(r, Vec<D>::Zero()));
  World<D> world(sweeping_scene<D>(h, bodies));

  Vec<D> q = Vec<D>::Zero();
  double worst = 0, way = 0;
  int moved = 0;
  run(world, 400, [&](const Certificate& step) {
    std::vector<double> c;
    for (const Signal& signal : position) c.push_back(value(signal, step.time) + r);
    const Vec<D> next = project<D>(q, n, c);
    way += (next - q).norm();
    moved += next != q;
    q = next;
    worst = std::max(worst, (world.bodies().position.back() - q).norm());
  });
  REQUIRE(moved > 50);
  REQUIRE(way > 5);
  bound("sweeping by half-spaces, distance from the projection [m]", worst, 1e-10);
}

// A point pushed by a disk of radius ρ that moves at speed c: the angle φ between motion and
// contact normal obeys ρ φ̇ = c sin φ, so tan(φ/2) = tan(φ₀/2) exp(c t/ρ), up to φ = 90°.
TEST_CASE_TEMPLATE("a point swept by a round body slides off as the sweeping process does", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 0.5, r = 0.01, c = 1, start = 0.3;
  std::vector<double> steps, errors;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    BodyDescription<D> pusher = ball<D>(R, Vec<D>::Zero());
    pusher.drives = {drive_along<D>(Drive<D>::Kind::velocity, along<D>(), Constant{c})};
    World<D> world(sweeping_scene<D>(
        h, {pusher, ball<D>(r, (R + r) * at<D>(std::cos(start), std::sin(start)))}));
    run(world, static_cast<int>(std::lround(0.6 / h)));
    const double phi = 2 * std::atan(std::tan(start / 2) * std::exp(c * 0.6 / (R + r)));
    const Vec<D> expected = at<D>(0.6, 0) + (R + r) * at<D>(std::cos(phi), std::sin(phi));
    steps.push_back(h);
    errors.push_back((world.bodies().position[1] - expected).norm());
  }
  compare("sweeping by a disk, order", observed_order(steps, errors), 1, 0.15);
  bound("sweeping by a disk, error at h = 5e-4 [m]", errors.back(), 1e-3);
}

TEST_CASE_TEMPLATE("bodies of the sweeping process stay where nothing pushes them", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  World<D> world(sweeping_scene<D>(
      0.01, {ground<D>(), ball<D>(0.1, at<D>(0, 0.1), at<D>(3, 1)), ball<D>(0.1, at<D>(1, 2))}));
  run(world, 100);
  CHECK((world.bodies().position[1] - at<D>(0, 0.1)).norm() < 1e-15);
  CHECK(world.bodies().position[2] == at<D>(1, 2));
}
