// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double m = 2, stiffness = 50, h = 0.01;

// A ball held to the origin by a spring and damper, pulled out by 1 m.
template <int D>
Scene<D> oscillator(double damping, double theta, double rest_length = 0) {
  BodyDescription<D> body = ball<D>(0.1, at<D>(1 + rest_length, 0));
  body.mass = m;
  Scene<D> scene = scene_of<D>(h, {}, {body});
  scene.gravity.setZero();
  scene.theta = theta;
  Spring<D> spring;
  spring.a = 0;
  spring.stiffness = stiffness;
  spring.damping = damping;
  spring.rest_length = rest_length;
  scene.springs = {spring};
  return scene;
}

}  // namespace

TEST_CASE_TEMPLATE("an undamped oscillator keeps its energy to rounding at theta = 1/2", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const double rest_length : {0.0, 2.0}) {
    World<D> world(oscillator<D>(0, 0.5, rest_length));
    const double energy = world.kinetic_energy() + world.potential_energy();
    CHECK(energy == doctest::Approx(0.5 * stiffness));
    double worst = 0;
    run(world, 10000, [&](const Certificate& step) {
      worst = std::max(worst, std::abs(step.kinetic + step.potential - energy));
    });
    bound("spring, relative change of energy over 10000 steps", worst / energy, 1e-11);
  }
}

// m (v⁺ − v⁻) = −h (k x_θ + c v_θ) with v_θ = (1−θ) v⁻ + θ v⁺, x_θ = x + hθ v_θ,
// and x⁺ = x + h v_θ.
TEST_CASE_TEMPLATE("a damped oscillator follows the theta-method", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double theta : {0.5, 0.7, 1.0}) {
    constexpr double c = 3;
    World<D> world(oscillator<D>(c, theta));
    double x = 1, v = 0, worst = 0;
    run(world, 1000, [&](const Certificate&) {
      const double k_ = stiffness, S = h * theta * c + h * h * theta * theta * k_;
      const double rest = h * k_ * x + (h * c + h * h * theta * k_) * (1 - theta) * v;
      const double v_next = (m * v - rest) / (m + S);
      x += h * ((1 - theta) * v + theta * v_next);
      v = v_next;
      worst = std::max(worst, (world.bodies().position[0] - at<D>(x, 0)).norm());
      worst = std::max(worst, (world.bodies().velocity[0] - at<D>(v, 0)).norm());
    });
    bound("damped spring, deviation from the recursion [m, m/s]", worst, 1e-11);
  }
}

TEST_CASE_TEMPLATE("two bodies on a spring swing about their mass centre", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  BodyDescription<D> a = ball<D>(0.1, at<D>(0, 0)), b = ball<D>(0.1, at<D>(2, 0));
  a.mass = 1;
  b.mass = 3;
  Scene<D> scene = scene_of<D>(1e-3, {}, {a, b});
  scene.gravity.setZero();
  Spring<D> spring;
  spring.a = 0;
  spring.b = 1;
  spring.stiffness = 30;
  spring.rest_length = 1.5;
  scene.springs = {spring};
  World<D> world(scene);
  // reduced mass 3/4: ω² = 40
  const double omega = std::sqrt(40.0);
  double worst = 0, worst_centre = 0;
  run(world, 2000, [&](const Certificate& step) {
    const Bodies<D>& bodies = world.bodies();
    const double length = (bodies.position[1] - bodies.position[0]).norm();
    worst = std::max(worst, std::abs(length - 1.5 - 0.5 * std::cos(omega * step.time)));
    const Vec<D> centre = (bodies.position[0] + 3 * bodies.position[1]) / 4;
    worst_centre = std::max(worst_centre, (centre - at<D>(1.5, 0)).norm());
  });
  // midpoint rule: the phase runs behind by (ωh)²/12 of itself
  bound("two bodies on a spring, length − exact [m]", worst, 0.5 * omega * 2 * 40e-6 / 12 * 1.1);
  bound("two bodies on a spring, motion of the mass centre [m]", worst_centre, 1e-12);
}

TEST_CASE_TEMPLATE("a weight on a spring comes to rest on the ground or above it", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  // Equilibrium k (z₀ − z) = m g would be at z = 1 − 2·9.81/50 = 0.6076, the ground holds at 0.8.
  for (const double floor_height : {0.0, 0.7}) {
    BodyDescription<D> floor_body = ground<D>();
    floor_body.position = floor_height * up<D>();
    BodyDescription<D> body = ball<D>(0.1, at<D>(0, 1));
    body.mass = m;
    Scene<D> scene = scene_of<D>(1e-3, {}, {floor_body, body});
    Spring<D> spring;
    spring.a = 1;
    spring.anchor_b = at<D>(0, 1);
    spring.stiffness = stiffness;
    spring.damping = 20;
    scene.springs = {spring};
    World<D> world(scene);
    run(world, 5000);
    const double free = 1 - m * g / stiffness;
    const double expected = std::max(free, floor_height + 0.1);
    compare("weight on a spring, height at rest [m]", world.bodies().position[1][D - 1], expected,
            1e-7);
    const double carried = floor_height > 0 ? m * g - stiffness * (1 - expected) : 0;
    compare("weight on a spring, force on the ground [N]",
            percussion_between(world, 0, 1)[D - 1] / scene.h, carried, 1e-5);
  }
}
