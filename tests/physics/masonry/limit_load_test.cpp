// SPDX-License-Identifier: Apache-2.0
// Limit loads of blocks against closed forms (VALIDATION C01, C02, C04), and what the mechanisms
// are.
#include <array>

#include "engine/outlook/touching_pairs.hpp"
#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/joint_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
using Loads = std::vector<BodyLoad<D>>;

// λ times the weight of every body, in a direction.
template <int D>
Loads<D> weights(const Bodies<D>& bodies, const Vec<D>& direction) {
  Loads<D> loads(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) loads[i].force = bodies.mass[i] * g * direction;
  return loads;
}

template <int D>
struct Limit {
  Scene<D> scene;
  Bodies<D> bodies;
  LimitAnalysis<D> analysis;

  explicit Limit(const Scene<D>& of)
      : scene(of), bodies(make_bodies<D>(scene)), analysis(scene, bodies, 0) {}

  LimitState<D> pushed(const Vec<D>& direction) const {
    return analysis.largest(weights<D>(bodies, direction));
  }
};

// The multiplier, by both programmes.
template <int D>
double solved(const LimitState<D>& state) {
  REQUIRE(state.verdict == ConeVerdict::solved);
  CHECK(std::abs(state.multiplier - state.dual) <= 1e-8 * (1 + std::abs(state.multiplier)));
  return state.multiplier;
}

constexpr double w = 2, h = 1;  // of a block [m]

template <int D>
Scene<D> column(int count, double friction) {
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int k = 0; k < count; ++k)
    bodies.push_back(block<D>(sides<D>(w, h, 1), at<D>(0, (k + 0.5) * h)));
  return scene_of<D>(1e-3, {.friction = friction}, bodies);
}

// VALIDATION C01: n blocks at the edge of a table, the k-th joint from the top overhanging by
// s w/(2k).
template <int D>
Scene<D> harmonic(int n, double s) {
  BodyDescription<D> table = block<D>(sides<D>(10, 1, 1), at<D>(-5, -0.5));
  table.fixed = true;
  std::vector<BodyDescription<D>> bodies = {table};
  double edge = 0;
  for (int k = n; k >= 1; --k) {
    edge += s * w / (2 * k);
    bodies.push_back(block<D>(sides<D>(w, h, 1), at<D>(edge - w / 2, (n - k + 0.5) * h)));
  }
  return scene_of<D>(1e-3, {.friction = 0.9}, bodies);
}

// A wall of running bond on the ground, pushed in its plane.
template <int D>
Scene<D> running_bond(int courses, int blocks, double friction) {
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int c = 0; c < courses; ++c) {
    double x = 0;
    while (x < blocks * w - 1e-9) {
      const bool half = c % 2 == 1 && (x == 0 || x > (blocks - 1) * w);
      const double width = half ? w / 2 : w;
      bodies.push_back(block<D>(sides<D>(width, h, 1), at<D>(x + width / 2, (c + 0.5) * h)));
      x += width;
    }
  }
  return scene_of<D>(1e-3, {.friction = friction}, bodies);
}

// The least thickness over the mean radius of a semicircular arch of n (even) voussoirs with
// straight edges, which stands while a thrust line fits into it. At the thickness sought the line
// touches the outer edge at the crown, the inner edge at some joint k at the angle φ from the
// crown, and the outer edge at the springing. With the weights A and their first moments S about
// the axis of symmetry, both from the crown to a joint, and H the thrust at the crown,
//     H (r_o − r_i cos φ) = A r_i sin φ − S   about the inner edge of joint k,
//     H r_o = A r_o − S                       about the outer edge of the springing.
// Joint k asks for at least its H, the springing allows at most the other. A voussoir of the angle
// θ is the difference of two triangles with areas ½ r² sin θ and centroids at ⅔ r cos θ/2.
double least_thickness(int n) {
  const auto folds = [&](double ratio) {
    const double r_i = 1 - ratio / 2, r_o = 1 + ratio / 2, theta = pi / n;
    double A = 0, S = 0, asked = 0;
    for (int k = 1; k < n / 2; ++k) {
      A += 0.5 * std::sin(theta) * (r_o * r_o - r_i * r_i);
      S += std::sin(theta) * std::cos(theta / 2) / 3 * (r_o * r_o * r_o - r_i * r_i * r_i) *
           std::sin((k - 0.5) * theta);
      const double phi = k * theta;
      asked = std::max(asked, (A * r_i * std::sin(phi) - S) / (r_o - r_i * std::cos(phi)));
    }
    A += 0.5 * std::sin(theta) * (r_o * r_o - r_i * r_i);
    S += std::sin(theta) * std::cos(theta / 2) / 3 * (r_o * r_o * r_o - r_i * r_i * r_i) *
         std::sin((n / 2 - 0.5) * theta);
    return asked > (A * r_o - S) / r_o;
  };
  double low = 0.05, high = 0.2;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (folds(middle) ? low : high) = middle;
  }
  return high;
}

Scene<2> semicircular_arch(int count, double ratio) {
  return open<2>("arch", {"arch.0.thickness=" + std::to_string(ratio / (1 - 0.5 * ratio)),
                          "arch.0.count=" + std::to_string(count)})
      .scene();
}

}  // namespace

TEST_CASE_TEMPLATE("C04: a block resists min(mu, B/H) of its weight, and so does a wall", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double mu : {0.3, 0.6, 1.9, 2.1, 5.0})
    CHECK(solved<D>(Limit<D>(column<D>(1, mu)).pushed(along<D>())) ==
          doctest::Approx(std::min(mu, w / h)).epsilon(1e-7));
  // B/H = 2; the base slides before the wall overturns.
  CHECK(solved<D>(Limit<D>(running_bond<D>(4, 4, 0.3)).pushed(along<D>())) ==
        doctest::Approx(0.3).epsilon(1e-7));
}

TEST_CASE_TEMPLATE("C01: harmonic stacks stand up to their limit, and yield at (1 - s) w/(n h)",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (int n = 2; n <= 5; ++n) {
    CAPTURE(n);
    for (const double s : {0.9, 0.99, 1 - 1e-5, 1 + 1e-5, 1.01}) {
      // k blocks stand back from the edge below them by (1 - s) w/2, and are k h/2 high on average.
      // Beyond the limit they must be held back, and the topmost most of all.
      const double expected = (1 - s) * w / (s < 1 ? n * h : h);
      const LimitState<D> state = Limit<D>(harmonic<D>(n, s)).pushed(along<D>());
      CHECK(solved<D>(state) == doctest::Approx(expected).epsilon(1e-6).scale(1e-3));
    }
  }
}

TEST_CASE_TEMPLATE("C02: a column on a tilting table fails at tan θ = min(mu, w/(n h))", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const int n : {1, 4, 9}) {
    for (const double mu : {0.1, 0.4, 0.8}) {
      const Limit<D> limit(column<D>(n, mu));
      const LimitState<D> state = limit.pushed(along<D>());
      CHECK(solved<D>(state) == doctest::Approx(std::min(mu, w / (n * h))).epsilon(1e-7));
      const auto pairs = touching_pairs<D>(limit.analysis, state);
      REQUIRE(pairs.size() == static_cast<std::size_t>(n));
      const bool overturns = w / (n * h) < mu;
      if (overturns) {  // about the toe of the lowest block, the others stay on it
        CHECK(pairs[0].motion == JointMotion::hinge);
        CHECK(pairs[0].place[0] == doctest::Approx(w / 2));
        CHECK(pairs[0].eccentricity == doctest::Approx(1).epsilon(1e-6));
        for (std::size_t k = 1; k < pairs.size(); ++k) CHECK(pairs[k].motion == JointMotion::none);
      } else {  // all joints reach friction together
        CHECK(pairs[0].motion == JointMotion::slide);
        for (const auto& pair : pairs)
          CHECK(pair.friction_used == doctest::Approx(1).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("a semicircular arch stands as long as a thrust line fits into it") {
  CHECK(least_thickness(20000) == doctest::Approx(0.1075).epsilon(1e-3));  // Milankovitch
  for (const int count : {10, 20, 60}) {
    CAPTURE(count);
    const double ratio = least_thickness(count);
    const Limit<2> thicker(semicircular_arch(count, 1.0002 * ratio)),
        thinner(semicircular_arch(count, 0.9998 * ratio));
    CHECK(solved<2>(thicker.pushed(along<2>())) > 0);
    CHECK(thinner.pushed(along<2>()).verdict == ConeVerdict::infeasible);
  }
}

TEST_CASE("an arch pushed sideways folds by four hinges, alternating between its edges") {
  const Limit<2> limit(semicircular_arch(15, 0.25 / 1.125));
  const LimitState<2> state = limit.pushed(along<2>());
  solved<2>(state);
  std::vector<double> radius;
  std::vector<std::pair<double, double>> by_angle;
  for (const auto& pair : touching_pairs<2>(limit.analysis, state)) {
    CHECK(pair.motion != JointMotion::slide);
    CHECK(pair.motion != JointMotion::part);
    if (pair.motion == JointMotion::hinge)
      by_angle.emplace_back(std::atan2(pair.place[1], pair.place[0]), pair.place.norm());
  }
  REQUIRE(by_angle.size() == 4);
  std::sort(by_angle.begin(), by_angle.end());
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(by_angle[k].second == doctest::Approx(k % 2 == 0 ? 1.25 : 1).epsilon(1e-6));
}

TEST_CASE("a wall in space resists what it resists in the plane") {
  const double plane = solved<2>(Limit<2>(running_bond<2>(12, 6, 0.7)).pushed(along<2>())),
               space = solved<3>(Limit<3>(running_bond<3>(12, 6, 0.7)).pushed(along<3>()));
  CHECK(plane == doctest::Approx(space).epsilon(1e-7));
  CHECK(plane < 0.7);
}

TEST_CASE("primal and dual agree to 1e-8 for a wall of 1000 blocks in space") {
  const Limit<3> limit(running_bond<3>(31, 32, 0.6));
  CHECK(limit.bodies.size() > 1000);
  const double lambda = solved<3>(limit.pushed(along<3>()));
  CHECK(lambda > 0.3);
  CHECK(lambda < 0.6);
}

TEST_CASE_TEMPLATE("joints hold: a bar on a pin and a step is lifted by its own weight", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  BodyDescription<D> step = block<D>(sides<D>(0.1, 0.1, 0.1), at<D>(0.95, -0.05));
  step.fixed = true;
  step.material = 0;
  const BodyDescription<D> bar = block<D>(sides<D>(1, 0.1, 0.1), at<D>(0.5, 0.05));
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0}, {step, bar});
  scene.joints = {pivot<D>(-1, 1, at<D>(0, 0.05), at<D>(-0.5, 0))};
  const Limit<D> limit(scene);
  Loads<D> lift(2);
  lift[1].force = 3 * up<D>();
  lift[1].torque = 3 * 0.25 * turning<D>();  // 3 N at three quarters of the bar
  const LimitState<D> state = limit.analysis.largest(lift);
  const double weight = limit.bodies.mass[1] * g;
  CHECK(solved<D>(state) == doctest::Approx(weight * 0.5 / (3 * 0.75)).epsilon(1e-7));
  CHECK(state.mechanism[1].omega.dot(turning<D>()) > 0.5);
  CHECK(limit.analysis.least(lift).verdict ==
        ConeVerdict::unbounded);  // pressing down does nothing
}

// A push along a level bar is never too large for its pin, but its weight is.
TEST_CASE_TEMPLATE("what its dead load moves is not held by a live load without a limit", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = scene_of<D>(1e-3, {}, {block<D>(sides<D>(1, 0.1, 0.1), at<D>(0.5, 0))});
  scene.joints = {pivot<D>(-1, 0, at<D>(0, 0), at<D>(-0.5, 0))};
  const LimitState<D> state = Limit<D>(scene).pushed(along<D>());
  CHECK(state.verdict == ConeVerdict::infeasible);
  CHECK(state.mechanism[0].v.dot(up<D>()) < 0);
}

TEST_CASE_TEMPLATE("loads without a limit, without effect and without resistance are told apart",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Limit<D> rough(column<D>(2, 0.5));
  CHECK(rough.pushed(-up<D>()).verdict == ConeVerdict::unbounded);
  CHECK(rough.analysis.has_effect(weights<D>(rough.bodies, along<D>())));
  CHECK(!rough.analysis.has_effect(Loads<D>(rough.bodies.size())));
  const Limit<D> smooth(column<D>(2, 0));
  CHECK(solved<D>(smooth.pushed(along<D>())) == doctest::Approx(0).epsilon(1e-8));
  Scene<D> scene = column<D>(1, 0.5);
  scene.bodies.push_back(ball<D>(0.1, at<D>(0, 10)));
  const Limit<D> apart(scene);
  CHECK(apart.analysis.held_by_nothing({}) == std::vector<int>{2});
}

TEST_CASE_TEMPLATE("a support that yields bears its share of a beam, and the beam follows", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  std::vector<BodyDescription<D>> bodies;
  for (const double x : {-1.0, 1.0}) {
    bodies.push_back(block<D>(sides<D>(0.2, 0.2, 0.2), at<D>(x, -0.1)));
    bodies.back().fixed = true;
    bodies.back().material = 0;
  }
  bodies.push_back(block<D>(sides<D>(3, 0.3, 0.2), at<D>(0.2, 0.15)));
  const Limit<D> limit(scene_of<D>(1e-3, {.friction = 0.6}, bodies));
  Twist<D> down;
  down.v = -up<D>();
  const LimitState<D> state = limit.analysis.settle(1, down);
  // The beam turns about the inner edge of the other support, at x = −0.9, and leaves the yielding
  // one but for its outer edge, at x = 1.1 — or, pressing least, slides nowhere: statics of a beam
  // on −0.9 and 1.1.
  const double weight = limit.bodies.mass[2] * g;
  CHECK(solved<D>(state) == doctest::Approx(weight * (0.2 + 0.9) / 2.0).epsilon(1e-6));
  CHECK(state.mechanism[2].omega.dot(turning<D>()) < -0.1);
}

TEST_CASE("A24: forces of a disk in a groove lie between W/(√2 (1 + mu)) and W/(√2 (1 - mu))") {
  for (const double mu : {0.0, 0.2, 0.6, 1.2}) {
    CAPTURE(mu);
    std::vector<BodyDescription<2>> bodies;
    for (const double side : {1.0, -1.0}) {
      BodyDescription<2> wall;
      wall.shapes = {HalfSpace<2>{Vec<2>(side, 1).normalized(), 0}};
      wall.fixed = true;
      bodies.push_back(wall);
    }
    bodies.push_back(ball<2>(0.5, {0, 0.5 * std::sqrt(2.0)}));
    const Limit<2> limit(scene_of<2>(1e-3, {.friction = mu}, bodies));
    const double weight = limit.bodies.mass[2] * g;
    for (const int contact : {0, 1}) {
      const ForceRange range = limit.analysis.normal_force({{contact}}, {}, 0);
      REQUIRE(range.known);
      CHECK(range.least == doctest::Approx(weight / (std::sqrt(2.0) * (1 + mu))).epsilon(1e-7));
      if (mu < 1)
        CHECK(range.largest == doctest::Approx(weight / (std::sqrt(2.0) * (1 - mu))).epsilon(1e-7));
      else
        CHECK(std::isinf(range.largest));
      CHECK(range.is_unique() == (mu == 0));
    }
  }
}

TEST_CASE("forces of one joint add up to what statics says, whatever its contacts share") {
  // Three blocks on each other: each joint carries the weight above it, in the plane with unique
  // forces, and in space with four corners that may share it in many ways.
  const Limit<3> limit(column<3>(3, 0.5));
  const double weight = limit.bodies.mass[1] * g;
  for (int joint = 0; joint < 3; ++joint) {
    std::vector<int> corners;
    for (int k = 0; k < 4; ++k) corners.push_back(4 * joint + k);
    const ForceRange all = limit.analysis.normal_force(corners, {}, 0),
                     one = limit.analysis.normal_force({corners.data(), 1}, {}, 0);
    CHECK(all.is_unique());
    CHECK(all.least == doctest::Approx((3 - joint) * weight).epsilon(1e-7));
    // Moments balance: two opposite corners carry a half at most each, and nothing at least.
    CHECK(one.least == 0);
    CHECK(one.largest == doctest::Approx((3 - joint) * weight / 2).epsilon(1e-7));
  }
}
