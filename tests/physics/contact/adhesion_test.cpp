// SPDX-License-Identifier: Apache-2.0
// Adhesion: contacts that hold their bodies together with a force F, where they touch or over a
// range.

#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
AppliedForce<D> force_on(int body, const Vec<D>& direction, double newtons) {
  AppliedForce<D> force;
  force.body = body;
  force.direction = direction;
  force.signal = Constant{newtons};
  return force;
}

// Balls on top of each other, each of 2 kg, and a pull upwards at the uppermost one. Returns how
// far it has gone after 50 steps.
template <int D>
double pulled_up(int balls, double adhesion, double pull, double normal_stiffness = 0) {
  constexpr double R = 0.1;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int i = 0; i < balls; ++i) {
    bodies.push_back(ball<D>(R, at<D>(0, (2 * i + 1) * R)));
    bodies.back().mass = 2;
  }
  ContactLaw law{.friction = 0.3};
  law.adhesion = adhesion;
  law.normal_stiffness = law.tangential_stiffness = normal_stiffness;
  Scene<D> scene = scene_of<D>(1e-3, law, bodies);
  scene.forces = {force_on<D>(balls, up<D>(), pull)};
  World<D> world(scene);
  const double start = world.bodies().position.back().dot(up<D>());
  for (int k = 0; k < 50; ++k) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
  }
  return world.bodies().position.back().dot(up<D>()) - start;
}

// A block on a slope, at two corners in the plane and four in space: speed down it after a step.
template <int D>
double speed_on_slope(double slope, double mu, double adhesion) {
  const Vec<D> along_slope = at<D>(std::cos(slope), -std::sin(slope));
  const Vec<D> outward = at<D>(std::sin(slope), std::cos(slope));
  BodyDescription<D> body = block<D>(sides<D>(0.4, 0.1, 0.4), 0.05 * outward, -slope);
  body.mass = 3;
  ContactLaw law{.friction = mu};
  law.adhesion = adhesion;
  World<D> world(scene_of<D>(1e-3, law, {ground<D>(slope), body}));
  for (int k = 0; k < 10; ++k) CHECK(world.step().converged);
  return world.bodies().velocity[1].dot(along_slope);
}

}  // namespace

TEST_CASE_TEMPLATE("a contact lets go at its pull-off force, to 1e-6", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double F = 7, weight = 2 * g;
  for (const int balls : {1, 3}) {
    CAPTURE(balls);
    bound("held, way up [m]", pulled_up<D>(balls, F, weight + F * (1 - 1e-6)), 1e-12);
    // Torn off, it is soon beyond touching, and comes up to F (50 h)²/(2 m) = 4.4 mm.
    const double torn = pulled_up<D>(balls, F, weight + F * (1 + 1e-6));
    CHECK(torn > 2.5e-3);
    CHECK(torn < 4.4e-3);
  }
}

TEST_CASE("a compliant contact lets go at its pull-off force and is squeezed by it before") {
  constexpr double F = 7, weight = 2 * g, k = 1e6;
  // At rest the spring carries weight and adhesion: it yields by (m g + F)/k from where it touched.
  CHECK(pulled_up<3>(1, F, 0, k) == doctest::Approx(-(weight + F) / k).epsilon(1e-2));
  CHECK(std::abs(pulled_up<3>(1, F, weight + 0.99 * F, k)) < 1e-6);
  CHECK(pulled_up<3>(1, F, weight + 1.5 * F, k) > 1e-3);
}

// m g sin θ = μ (m g cos θ + n F) with n contacts.
TEST_CASE_TEMPLATE("a block on a slope holds to μ (N + n F)", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double mu = 0.4, m = 3, n = D == 2 ? 2 : 4;
  for (const double slope : {40 * degree, 85 * degree, 120 * degree}) {
    CAPTURE(slope);
    const double limit = m * g * (std::sin(slope) - mu * std::cos(slope)) / (mu * n);
    // Held: a ten-millionth of the speed of a free fall, which the solver's tolerance leaves.
    bound("held [m/s]", std::abs(speed_on_slope<D>(slope, mu, limit * (1 + 1e-6))), 1e-8);
    CHECK(speed_on_slope<D>(slope, mu, limit * (1 - 1e-4)) > 1e-7);
    // Below, it slides with the rest of the force.
    const double F = 0.9 * limit;
    const double a = g * (std::sin(slope) - mu * std::cos(slope)) - mu * n * F / m;
    compare("sliding [m/s]", speed_on_slope<D>(slope, mu, F), 10 * 1e-3 * a, 1e-9);
  }
}

// Without gravity, from a gap d within the range a ball of mass m comes with a = F/m, and what
// adhesion has done then is F d. One beyond the range stays where it is.
TEST_CASE_TEMPLATE("adhesion with a range draws bodies together", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 0.1, F = 0.5, m = 2, range = 0.01, d = 0.008, h = 1e-3;
  for (const double e : {0.0, 0.5}) {
    BodyDescription<D> near = ball<D>(R, at<D>(0, R + d)),
                       far = ball<D>(R, at<D>(1, R + 1.1 * range));
    near.mass = far.mass = m;
    ContactLaw law{.friction = 0.3, .restitution = e};
    law.adhesion = F;
    law.range = range;
    Scene<D> scene = scene_of<D>(h, law, {ground<D>(), near, far});
    scene.gravity.setZero();
    World<D> world(scene);
    const double arrival = std::sqrt(2 * d * m / F);
    double work = 0, expected_v = 0, fastest = 0;
    while (world.time() < arrival - 2 * h) {
      const Certificate step = world.step();
      CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
      work += step.adhesion_work;
      expected_v -= h * F / m;
      CHECK(world.bodies().velocity[1].dot(up<D>()) == doctest::Approx(expected_v).epsilon(1e-12));
    }
    CHECK(work == doctest::Approx(world.kinetic_energy()).epsilon(1e-12));
    CHECK(work ==
          doctest::Approx(F * (R + d - world.bodies().position[1].dot(up<D>()))).epsilon(1e-9));
    for (int k = 0; k < 4; ++k) {  // it meets the ground, and bounces or stays
      const Certificate step = world.step();
      CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
      fastest = std::max(fastest, world.bodies().velocity[1].dot(up<D>()));
    }
    CHECK(fastest == doctest::Approx(-e * expected_v).epsilon(0.05).scale(1));
    CHECK(world.bodies().velocity[2].isZero(0));
    CHECK(world.bodies().position[1].dot(up<D>()) > R - 1e-6);
  }
}

// Dry grains run out to a flat heap; wet ones of F = 15 m g stand in a block.
TEST_CASE("a wet column stands steeper than a dry one") {
  struct Extent {
    double height, width;  // [m]
  };
  const auto extent_after = [](double wet) {
    constexpr double R = 0.01;
    std::vector<BodyDescription<2>> bodies = {ground<2>()};
    for (int row = 0; row < 12; ++row)
      for (int i = 0; i < 8 - row % 2; ++i)
        bodies.push_back(ball<2>(R, {(2 * i + row % 2) * R, (1 + row * std::sqrt(3.0)) * R}));
    Scene<2> scene = scene_of<2>(5e-4, {.friction = 0.3}, bodies);
    ContactLaw law{.friction = 0.3};
    law.adhesion = wet * 2500 * pi * R * R * g;
    scene.laws.set(1, 1, law);
    scene.solver = {.tolerance = 1e-6, .max_sweeps = 5000};
    World<2> world(scene);
    double highest = 0, left = 0, right = 0;
    for (int k = 0; k < 1200; ++k) {
      const Certificate step = world.step();
      CHECK(step.converged);
      CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
    }
    for (std::size_t i = 1; i < world.bodies().size(); ++i) {
      highest = std::max(highest, world.bodies().position[i][1]);
      left = std::min(left, world.bodies().position[i][0]);
      right = std::max(right, world.bodies().position[i][0]);
    }
    return Extent{highest, right - left};
  };
  const Extent dry = extent_after(0), wet = extent_after(15);
  MESSAGE("dry ", dry.height, " by ", dry.width, ", wet ", wet.height, " by ", wet.width);
  CHECK(wet.height > 1.5 * dry.height);
  CHECK(wet.height / wet.width > 3 * dry.height / dry.width);
}

TEST_CASE("adhesion: the ball lets go at 30 N, the block holds") {
  World<3> world = open<3>("adhesion");
  const std::size_t hanging = body(world, "ball"), stuck = body(world, "block");
  const double start = world.bodies().position[hanging][2];
  const Displacement<3> displacement(world);
  double let_go = 0;
  talus::run<3>(world, [&] {
    if (let_go == 0 && start - world.bodies().position[hanging][2] > 1e-8) let_go = world.time();
  });
  CHECK(let_go == doctest::Approx(0.538).epsilon(0.01));
  CHECK(displacement.of(world, stuck) < 1e-6);

  World<3> weaker = open<3>("adhesion", {"material.stone.adhesion=20"});
  const Displacement<3> further(weaker);
  talus::run<3>(weaker);
  CHECK(further.of(weaker, stuck) > 0.01);
}
