// SPDX-License-Identifier: Apache-2.0
// Compliant contacts with restitution: k xʷ + γ x^((w−1)/2) ẋ, which only push.
#include "engine/step/compliant.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

// Rebound over arrival of a unit mass, ẍ = −k xʷ − γ x^p ẋ, by Runge and Kutta's method in 1e5
// steps per unit of time. It ends where the force does, or, if the contact may pull, where x does.
double integrated_restitution(double w, double p, double gamma, bool pulls, double speed) {
  constexpr double k = 1, dt = 1e-4;
  const auto force = [&](double x, double v) {
    const double inside = std::max(x, 1e-12);  // p may be negative
    return k * std::pow(inside, w) + gamma * std::pow(inside, p) * v;
  };
  // The first step by hand: powers of x near 0 have no derivatives.
  double x = speed * dt, v = speed - gamma * std::pow(x, p + 1) / (p + 1);
  while (x > 0 && (pulls || v > 0 || force(x, v) > 0)) {
    const double k1x = v, k1v = -force(x, v);
    const double k2x = v + dt / 2 * k1v, k2v = -force(x + dt / 2 * k1x, v + dt / 2 * k1v);
    const double k3x = v + dt / 2 * k2v, k3v = -force(x + dt / 2 * k2x, v + dt / 2 * k2v);
    const double k4x = v + dt * k3v, k4v = -force(x + dt * k3x, v + dt * k3v);
    x += dt / 6 * (k1x + 2 * k2x + 2 * k3x + k4x);
    v += dt / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
  }
  return -v / speed;
}

double erratum_alpha(double e, double w, double log_squared) {
  return -std::log(e) * std::sqrt(2 * (1 + w) / (M_PI * M_PI + log_squared));
}

ContactLaw bouncing(double e, double w, double k) {
  ContactLaw law;
  law.normal_stiffness = law.tangential_stiffness = k;
  law.exponent = w;
  law.damping_ratio = damping_ratio_of(e);
  return law;
}

// Longest contact: that of the spring alone, π x_max/v (w = 1) or 2.9432 x_max/v (w = 3/2).
double duration(double m, double k, double w, double speed) {
  const double deepest = std::pow((w + 1) * m * speed * speed / (2 * k), 1 / (w + 1));
  return (w == 1 ? M_PI : 2.9432) * deepest / speed;
}

// Rebound over arrival of a ball on a floor without gravity.
template <int D>
double bounce(double e, double w, double speed, double steps_per_contact, double early) {
  constexpr double radius = 0.05, k = 1e6;
  Scene<D> scene = scene_of<D>(1, bouncing(e, w, k), {ground<D>(), ball<D>(radius, at<D>(0, 0))});
  scene.gravity.setZero();
  const double m = make_bodies<D>(scene).mass[1];
  scene.h = duration(m, k, w, speed) / steps_per_contact;
  scene.bodies[1].position = at<D>(0, radius + (3 + early) * scene.h * speed);
  scene.bodies[1].velocity = -speed * up<D>();
  World<D> world(scene);
  const auto v = [&] { return world.bodies().velocity[1].dot(up<D>()); };
  for (int step = 0; step < 6 * steps_per_contact + 10; ++step) {
    const Certificate certificate = world.step();
    CHECK(certificate.converged);
    CHECK(std::abs(certificate.defect) <= 1e-10 * certificate.turnover);
  }
  CHECK(world.contacts().empty());
  return v() / speed;
}

}  // namespace

TEST_CASE("the erratum's dashpot gives e if it may pull, after two corrections") {
  for (const double e : {0.9, 0.5, 0.2}) {
    for (const double w : {1.0, 1.5}) {
      const double log_e = std::log(e), alpha = erratum_alpha(e, w, log_e * log_e);
      for (const double speed : {1.0, 3.0})
        CHECK(integrated_restitution(w, (w - 1) / 2, alpha, true, speed) ==
              doctest::Approx(e).epsilon(1e-4));
      // Contacts that only push keep more.
      CHECK(integrated_restitution(w, (w - 1) / 2, alpha, false, 1) > 1.001 * e);
      CHECK(restitution_of(alpha / std::sqrt(2 * (w + 1))) ==
            doctest::Approx(integrated_restitution(w, (w - 1) / 2, alpha, false, 1)).epsilon(1e-4));
    }
  }
  CHECK(erratum_alpha(0.5, 1.5, std::pow(std::log(0.5), 2)) ==
        doctest::Approx(0.481769).epsilon(1e-6));
  // As printed: ln(e²), and p = (1 − w)/2.
  const double printed = erratum_alpha(0.5, 1.5, std::log(0.25));
  CHECK(std::abs(integrated_restitution(1.5, 0.25, printed, true, 1) - 0.5) > 0.02);
  CHECK(std::abs(integrated_restitution(1.5, -0.25, erratum_alpha(0.5, 1.5, 0.480453), true, 1) -
                 0.5) > 0.02);
}

TEST_CASE("the damping ratio gives its coefficient of restitution to contacts that only push") {
  for (const double e : {1.0, 0.99, 0.7, 0.3, 0.136, 0.135, 0.05, 0.002}) {
    const double zeta = damping_ratio_of(e);
    CHECK(restitution_of(zeta) == doctest::Approx(e).epsilon(1e-10));
    if (e > 0.01)
      for (const double w : {1.0, 1.5})
        CHECK(integrated_restitution(w, (w - 1) / 2, zeta * std::sqrt(2 * (w + 1)), false, 1) ==
              doctest::Approx(e).epsilon(2e-4));
  }
  CHECK(restitution_of(1) == doctest::Approx(std::exp(-2)).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("a ball bounces by its coefficient of restitution, at any speed", Dim, Plane,
                   Solid) {
  for (const double e : {1.0, 0.9, 0.5, 0.2})
    for (const double w : {1.0, 1.5})
      for (const double speed : {1.0, 3.0})
        for (const double early : {0.1, 0.5, 0.8}) {
          INFO("e ", e, ", exponent ", w, ", speed ", speed, ", early ", early);
          const double got = bounce<Dim::value>(e, w, speed, 50, early);
          CHECK(std::abs(got - e) <= 1e-3);
        }
}

TEST_CASE("the error of a bounce falls with the square of the step") {
  for (const double w : {1.0, 1.5}) {
    std::vector<double> steps, errors;
    for (const double n : {25.0, 50.0, 100.0, 200.0}) {
      double worst = 0;
      for (const double early : {0.1, 0.3, 0.5, 0.7, 0.9})
        worst = std::max(worst, std::abs(bounce<2>(0.5, w, 1, n, early) - 0.5));
      steps.push_back(1 / n);
      errors.push_back(worst);
    }
    CHECK(observed_order(steps, errors) > 1.8);
  }
}

TEST_CASE("a bounce that the step does not resolve gains nothing") {
  for (const double w : {1.0, 1.5})
    for (const double n : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0})
      for (const double early : {0.1, 0.5, 0.9}) {
        const double got = bounce<2>(1, w, 1, n, early);
        CHECK(got <= 1);
        CHECK(got >= -1e-9);
      }
}

// m = m₁m₂/(m₁ + m₂) is the mass of the contact.
TEST_CASE("two balls of different size bounce off each other by their coefficient of restitution") {
  constexpr double k = 1e6, speed = 2;
  Scene<2> scene = scene_of<2>(1, bouncing(0.6, 1.5, k),
                               {ball<2>(0.05, {0, 0}, {speed, 0}), ball<2>(0.1, {0.151, 0})});
  scene.gravity.setZero();
  const Bodies<2> bodies = make_bodies<2>(scene);
  const double m = bodies.mass[0] * bodies.mass[1] / (bodies.mass[0] + bodies.mass[1]);
  scene.h = duration(m, k, 1.5, speed) / 100;
  World<2> world(scene);
  while (world.time() < 0.001 / speed + 500 * scene.h) CHECK(world.step().converged);
  const double opening = world.bodies().velocity[1][0] - world.bodies().velocity[0][0];
  CHECK(opening / speed == doctest::Approx(0.6).epsilon(1e-3));
}

TEST_CASE("a ball at rest on a Hertzian contact penetrates by (m g/k) to the power 2/3") {
  constexpr double radius = 0.05, k = 1e6;
  Scene<3> scene =
      scene_of<3>(2e-4, bouncing(0.3, 1.5, k), {ground<3>(), ball<3>(radius, {0, 0, radius})});
  World<3> world(scene);
  const double m = world.bodies().mass[1];
  for (int step = 0; step < 20000; ++step) CHECK(world.step().converged);
  const double depth = std::pow(m * g / k, 2.0 / 3.0);
  compare("Hertzian contact at rest, penetration [m]", radius - world.bodies().position[1][2],
          depth, 1e-6 * depth);
}
