// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/rocking.hpp"

using namespace talus;
using namespace talus::physics;

// The instant of an impact falls anywhere in a step, so single errors jump about within their
// bound. Root mean squares over many starts do not.

namespace {

double root_mean_square(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += e * e;
  return std::sqrt(sum / static_cast<double>(errors.size()));
}

// Error of the height reached after the second bounce.
double apex_error(double height, double e, double h) {
  constexpr double r = 0.1;
  World<2> world(scene_of<2>(h, {.restitution = e}, {ground<2>(), ball<2>(r, {0, r + height})}));
  double v = 0, highest = 0;
  int bounces = 0;
  const double duration = std::sqrt(2 * height / g) * (1 + 2 * e + 1.5 * e * e);
  run(world, static_cast<int>(duration / h), [&](const Certificate&) {
    const double v_now = world.bodies().velocity[1][1];
    if (v < 0 && v_now > 0) ++bounces;
    if (bounces == 2) highest = std::max(highest, world.bodies().position[1][1] - r);
    v = v_now;
  });
  return highest - height * std::pow(e, 4);
}

}  // namespace

TEST_CASE("the error of a bouncing ball is of first order in the step") {
  std::vector<double> steps, errors;
  for (double h = 2e-3; h > 2e-4; h /= 2) {
    std::vector<double> samples;
    for (int i = 0; i < 40; ++i) samples.push_back(apex_error(0.5 + 0.0137 * i, 0.8, h));
    steps.push_back(h);
    errors.push_back(root_mean_square(samples));
  }
  compare("D04 bouncing ball, order", observed_order(steps, errors), 1, 0.15);
}

TEST_CASE("the error of a rocking block is of first order in the step") {
  std::vector<double> steps, time_errors, ratio_errors;
  for (double h = 2e-3; h > 2e-4; h /= 2) {
    std::vector<double> times, ratios;
    for (int i = 0; i < 20; ++i) {
      const Rocking rocking{0.25, 1.0, 0.4 + 0.0171 * i};
      const RockingResult got = rock<2>(rocking, h);
      times.push_back(got.impact - rocking.first_impact());
      ratios.push_back(got.peak);
    }
    steps.push_back(h);
    time_errors.push_back(root_mean_square(times));
  }
  compare("D04 rocking block, order of the time of impact", observed_order(steps, time_errors), 1,
          0.15);
}

TEST_CASE_TEMPLATE(
    "flight under a force that changes is of second order at theta = 1/2 and of "
    "first at theta = 1",
    Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double theta : {0.5, 1.0}) {
    std::vector<double> steps, errors;
    for (double h = 2e-2; h > 1e-3; h /= 2) {
      BodyDescription<D> body = ball<D>(0.1, Vec<D>::Zero());
      body.mass = 2;
      Scene<D> scene = scene_of<D>(h, {}, {body});
      scene.theta = theta;
      AppliedForce<D> force;
      force.body = 0;
      force.direction = along<D>();
      force.signal = Sinusoid{8, 1, pi / 2, 0};  // 8 cos(2πt) N
      scene.forces = {force};
      World<D> world(scene);
      run(world, static_cast<int>(std::lround(1.2 / h)));
      const double w = 2 * pi, t = 1.2;
      const Vec<D> expected = at<D>(4 / (w * w) * (1 - std::cos(w * t)), -g * t * t / 2);
      steps.push_back(h);
      errors.push_back((world.bodies().position[0] - expected).norm());
    }
    compare("D04 flight, order at theta = " + std::to_string(theta), observed_order(steps, errors),
            theta == 0.5 ? 2 : 1, 0.15);
  }
}
