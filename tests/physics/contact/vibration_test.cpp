// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double frequency = 20;  // [Hz]
constexpr double omega = 2 * pi * frequency;
constexpr double e = 0.5;

struct Orbit {
  double speed = 0;         // of the last launch [m/s]
  double phase = 0;         // of the table at the last impact [rad]
  double phase_spread = 0;  // over the last 20 periods
  double first_phase = 0;   // predicted
};

// A ball on a table A sin(ωt), started on the orbit of one bounce a period: 200 periods.
template <int D>
Orbit bounce_on_table(double Gamma) {
  constexpr double r = 0.005;
  constexpr int steps_per_period = 2000, periods = 200;
  const double h = 1 / (frequency * steps_per_period);
  const double phase = std::acos(std::min(1.0, pi * (1 - e) / ((1 + e) * Gamma)));
  BodyDescription<D> table = ground<D>();
  table.fixed = false;
  table.drives = {drive_along<D>(Drive<D>::Kind::position, up<D>(),
                                 Sinusoid{Gamma * g / (omega * omega), frequency, phase, 0})};
  World<D> world(scene_of<D>(h, {.restitution = e},
                             {table, ball<D>(r, at<D>(0, r), at<D>(0, pi * g / omega))}));
  Orbit orbit{.first_phase = phase};
  double v = 1, lowest = 10, highest = -10;
  run(world, periods * steps_per_period, [&](const Certificate& step) {
    const double v_now = world.bodies().velocity[1][D - 1];
    if (v < 0 && v_now > 0) {
      orbit.speed = v_now;
      orbit.phase = std::remainder(omega * (step.time - h / 2) + phase, 2 * pi);
      if (step.step > (periods - 20) * steps_per_period) {
        lowest = std::min(lowest, orbit.phase);
        highest = std::max(highest, orbit.phase);
      }
    }
    v = v_now;
  });
  orbit.phase_spread = highest - lowest;
  return orbit;
}

}  // namespace

TEST_CASE_TEMPLATE("a ball on a vibrating table bounces once a period inside the stable window",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Orbit orbit = bounce_on_table<D>(1.3);
  compare("A15 Gamma = 1.3, launch speed [m/s]", orbit.speed, 0.245250, 0.01 * 0.245250);
  compare("A15 Gamma = 1.3, table phase [rad]", orbit.phase, 0.634216, 0.02);
  bound("A15 Gamma = 1.25, spread of phase [rad]", bounce_on_table<D>(1.25).phase_spread, 0.02);
}

TEST_CASE("a ball on a table that shakes harder leaves the orbit of one bounce a period") {
  CHECK(bounce_on_table<2>(1.6).phase_spread > 0.2);
}
