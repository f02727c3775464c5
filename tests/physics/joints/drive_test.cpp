// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

const std::vector<Signal> signals = {Constant{0.7}, Table{{0.1, 0.3, 0.4}, {-0.2, 0.5, 0.1}},
                                     Sinusoid{0.3, 2, 0.4, 0.1}};

template <int D>
World<D> driven(const Drive<D>& drive, double h) {
  BodyDescription<D> body = block<D>(sides<D>(1, 1, 1), at<D>(0, 0));
  body.drives = {drive};
  return World<D>(scene_of<D>(h, {}, {body}));
}

}  // namespace

TEST_CASE_TEMPLATE("a body driven by velocity moves by the trapezoidal rule", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 0.01;
  for (const Signal& signal : signals) {
    World<D> moving = driven<D>({Drive<D>::Kind::velocity, along<D>(), Spin<D>::Zero(), signal}, h);
    World<D> turning_ = driven<D>({Drive<D>::Kind::spin, Vec<D>::Zero(), turning<D>(), signal}, h);
    double x = 0, worst = 0;
    for (int k = 0; k < 50; ++k) {
      moving.step();
      turning_.step();
      x += h / 2 * (value(signal, k * h) + value(signal, (k + 1) * h));
      worst = std::max(worst, std::abs(moving.bodies().position[0][0] - x));
      worst = std::max(worst, std::abs(angle_of(turning_, 0) - x));
    }
    bound("velocity drive, deviation [m, rad]", worst, 1e-13);
  }
}

TEST_CASE_TEMPLATE("a body driven by position is where the signal says at every step", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 0.01;
  for (const Signal& signal : signals) {
    World<D> moving = driven<D>({Drive<D>::Kind::position, along<D>(), Spin<D>::Zero(), signal}, h);
    World<D> turning_ = driven<D>({Drive<D>::Kind::angle, Vec<D>::Zero(), turning<D>(), signal}, h);
    double worst = 0;
    for (int k = 1; k <= 50; ++k) {
      moving.step();
      turning_.step();
      const double moved = value(signal, k * h) - value(signal, 0);
      worst = std::max(worst, std::abs(moving.bodies().position[0][0] - moved));
      worst = std::max(worst, std::abs(angle_of(turning_, 0) - moved));
    }
    bound("position drive, deviation [m, rad]", worst, 1e-13);
  }
}

TEST_CASE_TEMPLATE("drives of a body add up", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  BodyDescription<D> body = block<D>(sides<D>(1, 1, 1), at<D>(0, 0));
  body.drives = {{Drive<D>::Kind::velocity, along<D>(), Spin<D>::Zero(), Constant{2}},
                 {Drive<D>::Kind::position, up<D>(), Spin<D>::Zero(), Sinusoid{0.1, 1, 0, 0}},
                 {Drive<D>::Kind::spin, Vec<D>::Zero(), turning<D>(), Constant{0.5}}};
  World<D> world(scene_of<D>(1e-2, {}, {body}));
  run(world, 125);
  const Vec<D> expected = at<D>(2.5, 0.1 * std::sin(2 * pi * 1.25));
  bound("three drives, deviation [m]", (world.bodies().position[0] - expected).norm(), 1e-12);
  compare("three drives, angle [rad]", angle_of(world, 0), 0.625, 1e-12);
}

TEST_CASE_TEMPLATE("a lift does the work that the weight on it gains", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3;
  for (const bool by_position : {false, true}) {
    BodyDescription<D> lift = ground<D>();
    lift.fixed = false;
    const auto kind = by_position ? Drive<D>::Kind::position : Drive<D>::Kind::velocity;
    const Signal signal = by_position ? Signal(Table{{0, 100}, {0, 50}}) : Signal(Constant{0.5});
    lift.drives = {drive_along<D>(kind, up<D>(), signal)};
    World<D> world(scene_of<D>(h, {}, {lift, ball<D>(0.1, at<D>(0, 0.1), at<D>(0, 0.5))}));
    double work = 0;
    run(world, 1000, [&](const Certificate& step) { work += step.driven_work; });
    compare("lift, height of the ball [m]", world.bodies().position[1][D - 1], 0.6, 1e-9);
    compare("lift, work over m g Δz", work / (world.bodies().mass[1] * g * 0.5), 1, 1e-9);
  }
}
