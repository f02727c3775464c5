// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction: moments of contacts with laws of their own (problem/rolling.hpp).
#include <vector>

#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double rolling_radius = 0.05;

ContactLaw rough_law(double friction, double rolling, double spinning = 0) {
  ContactLaw law{.friction = friction};
  law.rolling_friction = rolling;
  law.spinning_friction = spinning;
  return law;
}

// J/(m R²) of a uniform disc and ball.
template <int D>
constexpr double gyration = D == 2 ? 0.5 : 0.4;

// A ball that rolls at a speed along a direction of the ground without sliding.
template <int D>
BodyDescription<D> rolling_ball(const Vec<D>& velocity) {
  constexpr double R = rolling_radius;
  BodyDescription<D> body = ball<D>(R, at<D>(0, R), velocity);
  if constexpr (D == 2) {
    body.spin = Spin<2>(-velocity[0] / R);
  } else {
    body.spin = Vec<3>(Vec<3>::UnitZ().cross(velocity) / R);
  }
  return body;
}

// Speed down a slope, from rest, and the friction and the moment that were needed.
template <int D>
double speed_down(double slope, double rolling, double time, double h) {
  const Vec<D> outward = at<D>(std::sin(slope), std::cos(slope));
  World<D> world(
      scene_of<D>(h, rough_law(0.8, rolling),
                  {ground<D>(slope), ball<D>(rolling_radius, rolling_radius * outward)}));
  run(world, static_cast<int>(std::lround(time / h)), Nothing{}, 1e-6);
  return world.bodies().velocity[1].dot(at<D>(std::cos(slope), -std::sin(slope)));
}

}  // namespace

// VALIDATION A18. One step of the scheme: the contact sticks, so that v = ω R, and
//     m (v⁺ − v) = P_T,  k m R² (ω⁺ − ω) = −r P_N − R P_T,  P_N = m g h,
// which gives v⁺ = v − h r g/((1 + k) R) until it would turn back.
TEST_CASE_TEMPLATE("a rolling ball slows down by its rolling friction, straight on, and stops", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = rolling_radius, r = 5e-4, v0 = 1, h = 0.01;
  const double rate = r * g / ((1 + gyration<D>)*R);
  const std::vector<double> headings = D == 2 ? std::vector{0.0} : std::vector{0.0, 0.7, 2.1};
  for (const double heading : headings) {
    Vec<D> direction = along<D>();
    if constexpr (D == 3) direction = {std::cos(heading), std::sin(heading), 0};
    World<D> world(
        scene_of<D>(h, rough_law(0.5, r), {ground<D>(), rolling_ball<D>(v0 * direction)}));
    double speed = v0, stopped = 0, off_speed = 0, off_path = 0, off_spin = 0, lost = 0;
    const int steps = static_cast<int>(1.02 * v0 / rate / h);
    run(world, steps, [&](const Certificate& step) {
      speed = std::max(0.0, speed - rate * h);
      if (speed > 0) stopped = step.time + h;
      const Vec<D> v = world.bodies().velocity[1];
      const Vec<D> along_path = world.bodies().position[1] - at<D>(0, R);
      off_speed = std::max(off_speed, (v - speed * direction).norm());
      off_spin = std::max(off_spin, std::abs(world.bodies().spin[1].norm() - speed / R));
      off_path = std::max(off_path, (along_path - along_path.dot(direction) * direction).norm());
      lost += step.rolling_work;
    });
    const double distance = (world.bodies().position[1] - at<D>(0, R)).norm();
    const std::string name = D == 2 ? "A18 disc, " : "A18 ball, ";
    bound(name + "speed against the scheme by hand [m/s]", off_speed, 1e-8);
    bound(name + "spin against it [rad/s]", off_spin, 1e-6);
    bound(name + "off the straight path [m]", off_path, 1e-9);
    compare(name + "time to stop [s]", stopped, v0 / rate, h);
    compare(name + "distance [m]", distance, v0 * v0 / (2 * rate), 1e-5 * v0 * v0 / rate);
    const double mass = world.bodies().mass[1];
    compare(name + "energy lost in rolling, over the kinetic", -lost,
            0.5 * (1 + gyration<D>)*mass * v0 * v0, 1e-6 * mass);
    bound(name + "moment at rest [N m s]", world.contact_moments()[0].norm(), 1e-10);
    if (D == 3) {
      compare("A18 time to stop, as published [s]", stopped, 14.271152, h);
      compare("A18 distance, as published [m]", distance, 7.135576, 2e-4);
    }
  }
}

TEST_CASE("A18: a ball that spins about the vertical stops by spinning friction") {
  constexpr double R = rolling_radius, s = 5e-4, omega0 = 20, h = 0.01;
  const double rate = s * g / (0.4 * R * R);
  BodyDescription<3> body = ball<3>(R, {0, 0, R});
  body.spin = {0, 0, omega0};
  World<3> world(scene_of<3>(h, rough_law(0.5, 0, s), {ground<3>(), body}));
  double spin = omega0, stopped = 0, off = 0;
  run(world, 450, [&](const Certificate& step) {
    spin = std::max(0.0, spin - rate * h);
    if (spin > 0) stopped = step.time + h;
    off = std::max(off, (world.bodies().spin[1] - Vec<3>(0, 0, spin)).norm());
  });
  bound("A18 spin against the scheme by hand [rad/s]", off, 1e-6);
  compare("A18 time to stop spinning [s]", stopped, 4.077472, h);
}

// It rolls where the moment of its weight about the contact exceeds r m g cos a; then the slope and
// the moment together give (g/(1 + k)) (sin a − (r/R) cos a).
TEST_CASE_TEMPLATE("a ball stays on a slope up to tan a = r/R", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.01, h = 1e-3, time = 0.2;
  const double limit = std::atan(r / rolling_radius);
  bound("speed just below the limit [m/s]", std::abs(speed_down<D>(limit * (1 - 1e-6), r, time, h)),
        1e-9);
  const double above = limit * (1 + 1e-3);
  const double slow = g / (1 + gyration<D>)*(std::sin(above) - 0.2 * std::cos(above)) * time;
  compare("speed just above it [m/s]", speed_down<D>(above, r, time, h), slow, 1e-8);
  const double steep = 2 * limit;
  const double fast = g / (1 + gyration<D>)*(std::sin(steep) - 0.2 * std::cos(steep)) * time;
  compare("speed on a slope twice as steep [m/s]", speed_down<D>(steep, r, time, h), fast, 1e-7);
  compare("speed without rolling friction [m/s]", speed_down<D>(steep, 0, time, h),
          g / (1 + gyration<D>)*std::sin(steep) * time, 1e-7);
}

// In free fall nothing presses but adhesion, and its F bounds the moments as it does friction:
// ‖M‖ ≤ r (P_N + h F).
TEST_CASE_TEMPLATE("adhesion presses for rolling friction", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = rolling_radius, r = 5e-4, h = 1e-3, F = 3;
  ContactLaw law = rough_law(0.5, r);
  law.adhesion = F;
  Scene<D> scene = scene_of<D>(h, law, {ground<D>(), rolling_ball<D>(along<D>())});
  scene.gravity.setZero();
  World<D> world(scene);
  const double mass = world.bodies().mass[1];
  double speed = 1, off = 0;
  run(world, 100, [&](const Certificate&) {
    speed -= h * r * F / (mass * (1 + gyration<D>)*R);
    off = std::max(off, std::abs(world.bodies().velocity[1][0] - speed));
  });
  bound("speed against the scheme by hand [m/s]", off, 1e-9);
}

TEST_CASE_TEMPLATE("a contact that yields rolls with friction, too", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double R = rolling_radius, r = 5e-4, h = 1e-3, k = 1e6;
  ContactLaw law = rough_law(0.5, r);
  law.normal_stiffness = law.tangential_stiffness = k;
  BodyDescription<D> body = rolling_ball<D>(along<D>());
  body.mass = 2;
  body.position -= 2 * g / k * up<D>();  // where its spring carries it
  World<D> world(scene_of<D>(h, law, {ground<D>(), body}));
  for (int i = 0; i < 300; ++i) {
    const Certificate step = world.step();
    CHECK(step.converged);
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
  }
  compare("speed after 0.3 s [m/s]", world.bodies().velocity[1][0],
          1 - 0.3 * r * g / ((1 + gyration<D>)*R), 1e-4);
}

// A ball on the axis of a turning table is spun up by s, at s g/(0.4 R²), to the spin of the table,
// which does the work.
TEST_CASE("a turning table spins a ball up by spinning friction") {
  constexpr double R = rolling_radius, s = 1e-3, h = 1e-3, turning = 5;
  BodyDescription<3> table = block<3>(sides<3>(0.4, 0.1, 0.4), {0, 0, -0.05});
  table.material = 0;
  Drive<3> drive;
  drive.kind = Drive<3>::Kind::spin;
  drive.axis = Vec<3>::UnitZ();
  drive.signal = Constant{turning};
  table.drives = {drive};
  World<3> world(scene_of<3>(h, rough_law(0.5, 0, s), {table, ball<3>(R, {0, 0, R})}));
  const double rate = s * g / (0.4 * R * R);
  double spin = 0, off = 0, driven = 0, lost = 0;
  run(world, 800, [&](const Certificate& step) {
    spin = std::min(turning, spin + rate * h);
    off = std::max(off, (world.bodies().spin[1] - Vec<3>(0, 0, spin)).norm());
    driven += step.driven_work;
    lost += step.rolling_work;
  });
  const double kinetic = 0.5 * 0.4 * world.bodies().mass[1] * R * R * turning * turning;
  bound("spin against the scheme by hand [rad/s]", off, 1e-7);
  compare("work of the table, over the kinetic energy", driven / kinetic, 2, 1e-3);
  compare("energy lost in spinning, over it", lost / kinetic, -1, 1e-3);
}

// Blocks meet at corners, whose wrenches are solved one by one. Moments hold a block that would tip
// over: it stands on a slope steeper than its width over its height.
TEST_CASE_TEMPLATE("rolling friction keeps a block from tipping", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double slope = 15 * degree, width = 0.1, height = 0.5;  // tips at 11.3°
  const auto leaning = [&](double rolling) {
    const Vec<D> outward = at<D>(std::sin(slope), std::cos(slope));
    World<D> world(scene_of<D>(1e-3, rough_law(0.9, rolling),
                               {ground<D>(slope), block<D>(sides<D>(width, height, width),
                                                           0.5 * height * outward, -slope)}));
    run(world, 200, Nothing{}, 1e-4);
    return std::abs(angle_of(world, 1) + slope);
  };
  CHECK(leaning(0) > 2 * degree);
  // The moment needed: m g (h/2 sin a − w/2 cos a) of P_N = m g cos a.
  const double needed = 0.5 * height * std::tan(slope) - 0.5 * width;
  CHECK(leaning(0.9 * needed) > 0.2 * degree);
  CHECK(leaning(1.1 * needed) < 1e-3 * degree);
}

namespace {

// A column of balls of slightly different sizes that falls apart on the ground, and how far from
// its axis they come to lie, on average.
template <int D>
double spread(double rolling, double spinning) {
  constexpr double R = 0.05;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  const int layers = D == 2 ? 12 : 6;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < (D == 2 ? 1 : 4); ++j) {
        const int number = (layer * 4 + i) * 4 + j;
        const double radius = R * (1 - 0.15 * (number * 7 % 10) / 10.0);
        const double shift = layer % 2 == 0 ? 0 : 0.4 * R;
        Vec<D> centre = at<D>((i - 1.5) * 2.02 * R + shift, R + 2.02 * R * layer);
        if constexpr (D == 3) centre[1] = (j - 1.5) * 2.02 * R + 0.7 * shift;
        bodies.push_back(ball<D>(radius, centre));
      }
  Scene<D> scene = scene_of<D>(2e-3, rough_law(0.5, rolling * R, spinning * R), std::move(bodies));
  scene.solver = {.tolerance = 1e-4, .max_sweeps = 5000};
  World<D> world(scene);
  run(world, 600, Nothing{}, 0.05);
  double sum = 0;
  for (std::size_t i = 1; i < world.bodies().size(); ++i) {
    Vec<D> across = world.bodies().position[i];
    across -= across.dot(up<D>()) * up<D>();
    sum += across.norm();
  }
  return sum / static_cast<double>(world.bodies().size() - 1);
}

}  // namespace

TEST_CASE_TEMPLATE("a heap lies closer the more its grains resist rolling", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double smooth = spread<D>(0, 0), some = spread<D>(0.1, 0), much = spread<D>(0.4, 0);
  MESSAGE("mean distance from the axis [m]: ", smooth, ", ", some, ", ", much);
  CHECK(some < 0.9 * smooth);
  CHECK(much < 0.9 * some);
  if (D == 3) {
    const double spinning = spread<D>(0.1, 0.4);
    MESSAGE("with spinning friction ", spinning);
    CHECK(spinning < some);
  }
}

TEST_CASE_TEMPLATE("a heap with moments goes on from its state with the same bits", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double R = 0.05;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int i = 0; i < 24; ++i) {
    Vec<D> centre = at<D>((i % 3) * 1.9 * R + 0.01 * (i / 3 % 2), R + 1.7 * R * (i / 3));
    if (D == 3) centre[1] = 0.01 * (i % 5);
    bodies.push_back(ball<D>(R, centre));
  }
  Scene<D> scene = scene_of<D>(1e-3, rough_law(0.4, 0.1 * R, 0.05 * R), std::move(bodies));
  scene.allowed_overlap = 1;
  scene.solver = {.tolerance = 1e-6, .max_sweeps = 3000};
  World<D> whole(scene), first(scene);
  const auto advance = [](World<D>& world, int steps, int threads) {
    world.use_threads(threads);
    for (int k = 0; k < steps; ++k) world.step();
  };
  advance(whole, 80, 1);
  advance(first, 40, 3);
  const WorldState<D> state = first.state();
  CHECK(state.moments.size() == state.percussions.size());
  World<D> second(scene);
  second.restore(state);
  advance(second, 40, 2);
  CHECK(whole.bodies().position == second.bodies().position);
  CHECK(whole.bodies().spin == second.bodies().spin);
  CHECK(whole.percussions().moment == second.percussions().moment);
  double largest = 0;
  for (const Spin<D>& moment : whole.contact_moments()) largest = std::max(largest, moment.norm());
  CHECK(largest > 0);
}

TEST_CASE("rolling_friction: one ball rolls to its stop, the other one spins to its stop") {
  World<3> world = open<3>("rolling_friction");
  const std::size_t rolling = body(world, "rolling"), spinning = body(world, "spinning");
  double rolled = 0, spun = 0;
  while (world.time() < world.scene().end - 1e-9) {
    const Certificate step = world.step();
    CHECK(step.converged);
    if (world.bodies().velocity[rolling].norm() > 1e-6) rolled = step.time;
    if (world.bodies().spin[spinning].norm() > 1e-6) spun = step.time;
  }
  compare("time to stop rolling [s]", rolled, 14.271152, 0.02);
  compare("distance [m]", world.bodies().position[rolling][0], 7.135576, 1e-3);
  compare("time to stop spinning [s]", spun, 4.077472, 0.02);
}

TEST_CASE("repose: disks that resist rolling come to rest as a steep heap") {
  const auto heap = [](const std::vector<std::string>& overrides) {
    World<2> world = open<2>("repose", overrides);
    double speed = 0, height = 0, foot = 0;
    while (world.time() < world.scene().end - 1e-9) {
      const Certificate step = world.step();
      CHECK(step.converged);
      speed = step.max_speed;
    }
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      if (!world.bodies().moves_freely(i)) continue;
      height = std::max(height, world.bodies().position[i][1]);
      foot = std::max(foot, world.bodies().position[i][0] + 0.5);
    }
    MESSAGE("fastest ", speed, ", height ", height, ", foot ", foot);
    CHECK(speed < 0.01);
    return std::pair(height, foot);
  };
  const auto [height, foot] = heap({});
  const auto [flat_height, flat_foot] = heap({"material.grain.rolling_friction=0"});
  CHECK(height > 1.25 * flat_height);
  CHECK(foot < 0.9 * flat_foot);
}
