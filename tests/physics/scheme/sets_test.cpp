// SPDX-License-Identifier: Apache-2.0
// The sweeping process in sets given by functions, f(t, x) ≤ 0, by catching up and by the lazy
// selector.
#include <fmt/format.h>

#include <random>

#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;

namespace {

// A point in sets; `sets` is a TOML array of functions.
Scene<2> point_in(const std::string& sets, const Vec<2>& start, double h, double end,
                  const std::string& dynamics = "sweeping") {
  const std::string text = fmt::format(
      "dimension = 2\ntime = {{ step = {}, end = {} }}\ndynamics = \"{}\"\n"
      "solver = {{ tolerance = 1e-12 }}\nmaterial.any = {{ density = 1, friction = 0 }}\n"
      "[[body]]\nname = \"point\"\nshape = {{ ball = 1e-3 }}\nmaterial = \"any\"\n"
      "position = [{:.17g}, {:.17g}]\n[[set]]\ninside = {}\n",
      h, end, dynamics, start[0], start[1], sets);
  return std::get<Scene<2>>(read_scene_text(text, "sets", {}).scene);
}

// Positions after every step.
std::vector<Vec<2>> path(const Scene<2>& scene) {
  World<2> world(scene);
  std::vector<Vec<2>> points = {world.bodies().position[0]};
  run(world, [&] { points.push_back(world.bodies().position[0]); });
  return points;
}

// Nearest point to q of the ellipse x²/a² + y²/b² ≤ 1: x = a² q/(a² + λ), by bisection for λ.
Vec<2> nearest_in_ellipse(const Vec<2>& q, double a, double b) {
  const auto at_multiplier = [&](double lambda) {
    return Vec<2>(a * a * q[0] / (a * a + lambda), b * b * q[1] / (b * b + lambda));
  };
  const auto f = [&](const Vec<2>& x) { return x[0] * x[0] / (a * a) + x[1] * x[1] / (b * b) - 1; };
  if (f(q) <= 0) return q;
  double low = 0, high = 1;
  while (f(at_multiplier(high)) > 0) high *= 2;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (f(at_multiplier(middle)) > 0 ? low : high) = middle;
  }
  return at_multiplier(0.5 * (low + high));
}

// Nearest point to q in the disk of radius 1 and outside of the disk of radius r about c: the best
// admissible one of q, its projections on both circles and their intersections.
Vec<2> nearest_beside_pillar(const Vec<2>& q, const Vec<2>& c, double r) {
  Vec<2> best = Vec<2>::Constant(1e9);
  const auto consider = [&](const Vec<2>& x) {
    if (x.norm() > 1 + 1e-13 || (x - c).norm() < r - 1e-13) return;
    if ((x - q).norm() < (best - q).norm()) best = x;
  };
  consider(q);
  consider(q.normalized());
  consider(c + r * (q - c).normalized());
  const double d = c.norm(), along = (1 - r * r + d * d) / (2 * d);
  if (along * along < 1) {
    const Vec<2> to_pillar = c / d, across(-to_pillar[1], to_pillar[0]);
    for (const double side : {-1.0, 1.0})
      consider(along * to_pillar + side * std::sqrt(1 - along * along) * across);
  }
  return best;
}

constexpr double t_step = 0.02;
// A convex room that turns, breathes and is cut by a wandering wall.
const char* const convex_room =
    "[\"(x*cos(t) + y*sin(t))^2 + 4*(y*cos(t) - x*sin(t))^2 - (1 + 0.3*sin(3*t))^2\","
    " \"x + 0.5*y - 0.4 - 0.5*cos(2*t)\"]";

}  // namespace

TEST_CASE("a point in a moving ellipse catches up with the nearest point") {
  // The tips have a radius of curvature of 0.09 m, less than the way of the set in a step.
  const double a = 1, b = 0.3;
  const std::vector<Vec<2>> points = path(
      point_in("[\"(x - 0.9*sin(3*t))^2 + (y - 0.4*cos(5*t))^2/0.09 - 1\"]", {0.1, 0.3}, 0.05, 6));
  double worst = 0, way = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double t = 0.05 * static_cast<double>(k);
    const Vec<2> centre(0.9 * std::sin(3 * t), 0.4 * std::cos(5 * t));
    const Vec<2> expected = centre + nearest_in_ellipse(points[k - 1] - centre, a, b);
    worst = std::max(worst, (points[k] - expected).norm());
    way = std::max(way, (points[k] - points[k - 1]).norm());
  }
  REQUIRE(way > 0.09);
  CHECK(worst <= 1e-12);
}

TEST_CASE("nonconvex_room: every step ends at the nearest point, and the pillar parts neighbours") {
  World<2> world = open<2>("nonconvex_room");
  const std::vector<std::size_t> points = {body(world, "left"), body(world, "right"),
                                           body(world, "far")};
  std::vector<Vec<2>> last = world.bodies().position;
  double worst = 0, apart = 0;
  int corners = 0, moved = 0;
  const double start = (last[points[0]] - last[points[1]]).norm();
  run(world, [&] {
    const double t = world.time();
    const Vec<2> pillar(0.8 * std::sin(t), 0.5 * std::sin(3 * t));
    for (const std::size_t i : points) {
      const Vec<2>& x = world.bodies().position[i];
      worst = std::max(worst, (x - nearest_beside_pillar(last[i], pillar, 0.3)).norm());
      moved += x != last[i];
      corners += std::abs(x.norm() - 1) < 1e-10 && std::abs((x - pillar).norm() - 0.3) < 1e-10;
    }
    last = world.bodies().position;
    apart = std::max(apart, (last[points[0]] - last[points[1]]).norm());
  });
  REQUIRE(moved > 100);
  CHECK(corners > 10);
  CHECK(worst <= 1e-11);
  CHECK(apart > 5 * start);  // which a convex room does not allow
}

TEST_CASE("two solutions in a convex room never grow apart") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-0.3, 0.3);
  double growth = 0;
  int nearer = 0;
  for (int sample = 0; sample < 40; ++sample) {
    std::vector<Vec<2>> p[2];
    for (auto& points : p)
      points = path(point_in(convex_room, {coordinate(random), coordinate(random)}, t_step, 6));
    for (std::size_t k = 1; k < p[0].size(); ++k)
      growth = std::max(growth, (p[0][k] - p[1][k]).norm() - (p[0][k - 1] - p[1][k - 1]).norm());
    nearer += (p[0].back() - p[1].back()).norm() < 0.9 * (p[0][0] - p[1][0]).norm();
  }
  CHECK(growth <= 1e-12);
  CHECK(nearer > 20);
}

TEST_CASE("the sweeping process does not depend on the rate of time") {
  // The same sets at t and at 2t, and at the times of a clock that runs unevenly.
  const std::vector<Vec<2>> slow = path(point_in(convex_room, {0.2, -0.1}, t_step, 6));
  std::string twice = convex_room;
  for (std::size_t at = 0; (at = twice.find("t)", at)) != std::string::npos; at += 4)
    twice.replace(at, 1, "2*t");
  const std::vector<Vec<2>> fast = path(point_in(twice, {0.2, -0.1}, t_step / 2, 3));
  REQUIRE(slow.size() == fast.size());
  double worst = 0, way = 0;
  for (std::size_t k = 0; k < slow.size(); ++k) {
    worst = std::max(worst, (slow[k] - fast[k]).norm());
    if (k > 0) way += (slow[k] - slow[k - 1]).norm();
  }
  CHECK(way > 0.2);
  CHECK(worst <= 1e-12);

  // A clock t = s³: a set that grows by steps of s passes through the same sets.
  const std::vector<Vec<2>> even =
      path(point_in("[\"(x - t)^2 + y^2 - 1\"]", {-0.7, 0.7}, 0.125, 1));
  const std::vector<Vec<2>> uneven =
      path(point_in("[\"(x - t^3)^2 + y^2 - 1\"]", {-0.7, 0.7}, 0.5, 1));
  CHECK((even.back() - uneven.back()).norm() > 1e-4);  // other sets on the way: other steps
  CHECK((even[1] - uneven[1]).norm() <= 1e-12);        // t = 1/8 after one step of both
}

// The scheme by hand: q⁺ = q⁻ + h γ, γ = −(∂f/∂t) ∇f/‖∇f‖² where f ≥ 0 and ∂f/∂t > 0.
TEST_CASE("the lazy selector is the explicit scheme") {
  const double h = 0.01;
  const std::vector<Vec<2>> points =
      path(point_in("[\"(x - 2*t)^2 + y^2 - 1\"]", {0.1, 0.6}, h, 2, "lazy-selector"));
  Vec<2> q(0.1, 0.6);
  double worst = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const double t = h * static_cast<double>(k - 1);
    const Vec<2> gradient(2 * (q[0] - 2 * t), 2 * q[1]);
    const double f = std::pow(q[0] - 2 * t, 2) + q[1] * q[1] - 1;
    const double rate = -4 * (q[0] - 2 * t);
    if (f >= 0 && rate > 0) q -= h * rate * gradient / gradient.squaredNorm();
    worst = std::max(worst, (points[k] - q).norm());
  }
  REQUIRE(points.back()[0] > 2.9);
  CHECK(worst <= 1e-11);
}

// A round room of radius 1 moves at speed c. Once its wall has reached the point, the angle φ of
// the point, seen from the centre, against the direction from which the wall comes obeys φ̇ = −c sin
// φ: tan(φ/2) = tan(φ₀/2) exp(−c t).
TEST_CASE("catching up and the lazy selector meet at the exact motion as steps shrink") {
  const double phi_0 = 1.2, c = 1;
  const double phi = 2 * std::atan(std::tan(phi_0 / 2) * std::exp(-c));
  const Vec<2> expected(c - std::cos(phi), std::sin(phi));
  for (const std::string dynamics : {"sweeping", "lazy-selector"}) {
    std::vector<double> steps, errors;
    for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
      const std::vector<Vec<2>> points = path(point_in(
          "[\"(x - t)^2 + y^2 - 1\"]", {-std::cos(phi_0), std::sin(phi_0)}, h, 1, dynamics));
      steps.push_back(h);
      errors.push_back((points.back() - expected).norm());
    }
    physics::compare(dynamics + ", order", physics::observed_order(steps, errors), 1, 0.1);
    CHECK(errors.back() <= 2e-3);
  }
}

// On the wall x²/4 + y² = 1 − t, −dq/dt ∥ (x/2, 2y): dy/y = 4 dx/x, so x⁴/y stays as it was when
// the wall reached the point.
TEST_CASE("cavity: streams follow lines of steepest descent and fall freely below the rim") {
  World<2> world = open<2>("cavity");
  std::vector<std::size_t> points;
  for (const char* const name : {"steep", "middle", "shallow"}) points.push_back(body(world, name));
  const std::vector<Vec<2>> start = world.bodies().position;
  std::vector<Vec<2>> at_rim(start.size());
  double wall = 0, invariant = 0, moved = 0;
  run(world, [&] {
    const double t = world.time();
    for (const std::size_t i : points) {
      const Vec<2>& x = world.bodies().position[i];
      if (t > 0.6 + 1e-9) {
        moved = std::max(moved, (x - at_rim[i]).norm());
        continue;
      }
      at_rim[i] = x;
      if (x == start[i]) continue;
      wall = std::max(wall, std::abs(x[0] * x[0] / 4 + x[1] * x[1] - (1 - t)));
      const auto of = [](const Vec<2>& q) { return std::pow(q[0], 4) / q[1]; };
      invariant = std::max(invariant, std::abs(of(x) / of(start[i]) - 1));
    }
  });
  for (const std::size_t i : points) CHECK((at_rim[i] - start[i]).norm() > 0.1);
  CHECK(wall <= 1e-9);
  CHECK(invariant <= 5e-3);  // of first order in the step
  CHECK(moved == 0);
}
