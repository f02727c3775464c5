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

// Nearest point to q outside of two balls of radius ρ about points of the plane through the first
// axis and the height: q itself, a projection on one ball, or a corner of both.
struct TwoBalls {
  Vec<2> centre[2];
  double radius;

  Vec<2> nearest(const Vec<2>& q) const {
    Vec<2> best = Vec<2>::Constant(1e9);
    const auto consider = [&](const Vec<2>& x) {
      for (const Vec<2>& c : centre)
        if ((x - c).norm() < radius - 1e-13) return;
      if ((x - q).norm() < (best - q).norm()) best = x;
    };
    consider(q);
    for (const Vec<2>& c : centre) consider(c + radius * (q - c).normalized());
    const Vec<2> between = centre[1] - centre[0], middle = 0.5 * (centre[0] + centre[1]);
    const double half_chord = std::sqrt(radius * radius - 0.25 * between.squaredNorm());
    const Vec<2> across = Vec<2>(-between[1], between[0]).normalized();
    consider(middle + half_chord * across);
    consider(middle - half_chord * across);
    return best;
  }
};

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

TEST_CASE_TEMPLATE("a point swept by two round bodies goes to the nearest point beside both", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 0.5, r = 0.01, h = 0.05;
  const Vec<2> start[] = {{0, -0.45}, {0.1, 0.55}};
  std::vector<BodyDescription<D>> bodies = {ball<D>(r, at<D>(0.6, 0.05))};
  for (const Vec<2>& centre : start) {
    bodies.push_back(ball<D>(R, at<D>(centre[0], centre[1])));
    bodies.back().drives = {drive_along<D>(Drive<D>::Kind::velocity, along<D>(), Constant{1})};
  }
  Scene<D> scene = sweeping_scene<D>(h, bodies);
  scene.solver.tolerance = 1e-12;
  World<D> world(scene);
  Vec<2> q(0.6, 0.05);
  double worst = 0;
  int corners = 0;
  run(world, 40, [&](const Certificate& step) {
    TwoBalls balls{{start[0], start[1]}, R + r};
    for (Vec<2>& centre : balls.centre) centre[0] += step.time;
    q = balls.nearest(q);
    corners += std::abs((q - balls.centre[0]).norm() - (R + r)) < 1e-12 &&
               std::abs((q - balls.centre[1]).norm() - (R + r)) < 1e-12;
    worst = std::max(worst, (world.bodies().position[0] - at<D>(q[0], q[1])).norm());
  });
  REQUIRE(corners > 20);
  bound("sweeping by two disks, distance from the nearest point [m]", worst, 1e-12);
}

// A rod of half length a and radius r_c is pushed by a round body at its side, off its centre. For
// a turn φ the shortest way out is along the rod's normal, so the step is a minimum over φ alone:
//     ½ s(φ)² + ½ (φ − φ⁻)²,   s = way along n(φ) until the distance is R + r_c.
TEST_CASE("a rod swept by a round body moves and turns the shortest way") {
  constexpr double R = 0.5, r_c = 0.05, h = 0.02;
  BodyDescription<2> rod;
  rod.shapes = {Capsule<2>{{Vec<2>(-2, 0), Vec<2>(2, 0)}, r_c}};
  rod.material = 1;
  rod.position = {0.4, R + r_c};
  BodyDescription<2> pusher = ball<2>(R, Vec<2>::Zero());
  pusher.drives = {drive_along<2>(Drive<2>::Kind::velocity, Vec<2>::UnitY(), Constant{2})};
  Scene<2> scene = sweeping_scene<2>(h, {pusher, rod});
  scene.solver.tolerance = 1e-12;
  World<2> world(scene);
  Vec<2> x = rod.position;
  double angle = 0, worst = 0;
  run(world, 40, [&](const Certificate& step) {
    const Vec<2> centre(0, 2 * step.time);
    const auto way = [&](double phi) {  // along n(φ)
      const Vec<2> n(-std::sin(phi), std::cos(phi));
      return std::max(0.0, R + r_c - n.dot(x - centre));
    };
    const auto slope = [&](double phi) {  // of the cost: s s′ + φ − φ⁻
      const Vec<2> n_turned(-std::cos(phi), -std::sin(phi));
      return way(phi) * -n_turned.dot(x - centre) + phi - angle;
    };
    double low = angle - 0.2, high = angle + 0.2;
    REQUIRE(slope(low) < 0);
    REQUIRE(slope(high) > 0);
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      (slope(middle) < 0 ? low : high) = middle;
    }
    const double phi = 0.5 * (low + high);
    x += way(phi) * Vec<2>(-std::sin(phi), std::cos(phi));
    angle = phi;
    worst = std::max({worst, (world.bodies().position[1] - x).norm(),
                      std::abs(world.bodies().orientation[1].angle - angle)});
  });
  REQUIRE(angle < -0.3);
  bound("sweeping of a rod, distance from the shortest way", worst, 1e-11);
}
