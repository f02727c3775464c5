// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

// A body of inertia k m R² thrown along a plane slides until v₀/(1 + k), for k v₀/((1 + k) μ g).
TEST_CASE_TEMPLATE("a thrown ball slides, then rolls for good", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 0.1, v0 = 2, mu = 0.3, h = 1e-3;
  struct Body {
    std::string name;
    double k;
  };
  for (const Body& body : {Body{"sphere", 0.4}, Body{"disk", 0.5}, Body{"hoop", 1.0}}) {
    const double k = body.k;
    BodyDescription<D> thrown = ball<D>(R, at<D>(0, R), v0 * along<D>());
    thrown.mass = 2;
    thrown.inertia = k * 2 * R * R * SpinMat<D>::Identity();
    World<D> world(scene_of<D>(h, {.friction = mu}, {ground<D>(), thrown}));

    const double t_roll = k * v0 / ((1 + k) * mu * g);
    const double x_roll = v0 * t_roll - mu * g * t_roll * t_roll / 2;
    double rolling_since = 0, distance = 0, worst_friction = 0, worst_change = 0, v = v0;
    run(world, 600, [&](const Certificate& step) {
      const double friction = percussion_between(world, 0, 1).dot(along<D>());
      const double v_now = world.bodies().velocity[1].dot(along<D>());
      if (std::abs(friction) > 1e-10 * 2 * g * h) {
        rolling_since = step.time;
      } else {
        worst_friction = std::max(worst_friction, std::abs(friction) / (2 * g * h));
        worst_change = std::max(worst_change, std::abs(v_now - v));
      }
      if (std::abs(step.time - t_roll) <= h / 2)
        distance = world.bodies().position[1].dot(along<D>()) + v_now * (t_roll - step.time);
      v = v_now;
    });
    const std::string name = "A04 " + body.name + ", ";
    compare(name + "rolling speed [m/s]", v, v0 / (1 + k), 1e-8);
    compare(name + "time of sliding [s]", rolling_since, t_roll, h);
    compare(name + "distance of sliding [m]", distance, x_roll, 2 * h * v0);
    bound(name + "friction when rolling, over m g", worst_friction, 1e-10);
    bound(name + "change of speed when rolling [m/s per step]", worst_change, 1e-12);
  }
}

TEST_CASE("a billiard ball with side spin runs on a parabola, then straight") {
  constexpr double R = 0.03, mu = 0.2, h = 1e-4;
  BodyDescription<3> cue = ball<3>(R, {0, 0, R}, {1, 0, 0});
  cue.spin = {20, 0, 0};
  World<3> world(scene_of<3>(h, {.friction = mu}, {ground<3>(), cue}));
  const Vec<2> slip(1, 0.6);
  const double t_roll = 2 * slip.norm() / (7 * mu * g);
  Vec<2> there = Vec<2>::Zero();
  run(world, 3000, [&](const Certificate& step) {
    if (std::abs(step.time - t_roll) <= h / 2)
      there = world.bodies().position[1].head<2>() +
              (t_roll - step.time) * world.bodies().velocity[1].head<2>();
  });
  const Vec<3>& v = world.bodies().velocity[1];
  compare("A07 v_x [m/s]", v[0], 1 - 2.0 / 7, 1e-7);
  compare("A07 v_y [m/s]", v[1], -0.6 * 2 / 7, 1e-7);
  compare("A07 x at rolling [m]", there[0], 0.145565, 2 * h);
  compare("A07 y at rolling [m]", there[1], -0.0145565, 2 * h);
}

// A disk of radius R that rolls with its mass centre at a distance d from its own centre:
//     ½ (m (R² + d² − 2 R d cos θ) + J) θ̇² = m g d (cos θ − cos θ₀).
TEST_CASE("round_base: no impact, no jump of velocity, the period of the rolling pendulum") {
  World<2> world = open<2>("round_base");
  const std::size_t i = body(world, "block");
  const Bodies<2>& bodies = world.bodies();
  const double m = bodies.mass[i], J = bodies.inertia[i](0, 0), R = 0.3;
  const double d = bodies.origin_offset[i].norm(), theta_0 = 0.3, h = world.scene().h;
  REQUIRE(bodies.origin_offset[i][1] > 0.02);  // the mass centre is below
  const auto inertia = [&](double theta) {
    return m * (R * R + d * d - 2 * R * d * std::cos(theta)) + J;
  };
  const auto omega_squared = [&](double theta) {
    return 2 * m * g * d * (std::cos(theta) - std::cos(theta_0)) / inertia(theta);
  };
  double period = 0, fastest_change = 0;
  constexpr int n = 20000;  // θ = θ₀ sin u takes the root out of the integrand
  for (int k = 0; k < n; ++k) {
    const double u = (k + 0.5) * M_PI / 2 / n, theta = theta_0 * std::sin(u);
    period += 4 * theta_0 * std::cos(u) / std::sqrt(omega_squared(theta)) * M_PI / 2 / n;
    const double acceleration =
        m * d * std::sin(theta) * (g + R * omega_squared(theta)) / inertia(theta);
    fastest_change = std::max(fastest_change, acceleration * h);
  }

  int impacts = 0;
  double change = 0, last_spin = 0, last_angle = -theta_0, energy = 0;
  std::vector<double> upright;  // times of passage
  const double start = world.kinetic_energy() + world.potential_energy();
  for (int step = 0; step < 8000; ++step) {
    const Certificate certificate = world.step();
    REQUIRE(certificate.converged);
    impacts += certificate.impacts;
    const double spin = bodies.spin[i][0], angle = bodies.orientation[i].angle;
    change = std::max(change, std::abs(spin - last_spin));
    if ((angle < 0) != (last_angle < 0))
      upright.push_back(world.time() - h * angle / (angle - last_angle));
    last_spin = spin, last_angle = angle;
    energy = std::max(energy, std::abs(certificate.kinetic + certificate.potential - start));
  }
  CHECK(impacts == 0);
  CHECK(change <= 1.01 * fastest_change);
  CHECK(energy <= 2e-3 * m * g * d * (1 - std::cos(theta_0)));
  REQUIRE(upright.size() == 2);
  compare("round base, half a period [s]", upright[1] - upright[0], period / 2, 1e-4 * period);
}
