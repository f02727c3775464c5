// SPDX-License-Identifier: Apache-2.0
// Contacts that yield: springs at every contact point, by Euler's implicit rule.
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double h = 1e-3, k_N = 2e5, k_T = 1e5, mu = 0.4;

ContactLaw yielding(double friction = mu) {
  ContactLaw law;
  law.friction = friction;
  law.normal_stiffness = k_N;
  law.tangential_stiffness = k_T;
  return law;
}

}  // namespace

// g_m⁺ = g_m + h v⁺ and m (v⁺ − v) = −m g h + h k max(0, −g_m⁺), by hand.
TEST_CASE_TEMPLATE("a ball dropped on a floor that yields follows Euler's implicit rule", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double radius = 0.05;
  World<D> world(scene_of<D>(h, yielding(0), {ground<D>(), ball<D>(radius, at<D>(0, 0.06))}));
  const double m = world.bodies().mass[1];
  double gap = 0.01, v = 0, worst = 0, deepest = 0;
  for (int step = 0; step < 6000; ++step) {
    const Certificate certificate = world.step();
    CHECK(certificate.converged);
    CHECK(std::abs(certificate.defect) <= 1e-10 * certificate.turnover);
    const double free = v - g * h;
    const double sprung = (free - h * k_N / m * gap) / (1 + h * h * k_N / m);
    v = gap + h * free >= 0 ? free : sprung;
    gap += h * v;
    worst = std::max(worst, std::abs(world.bodies().velocity[1].dot(up<D>()) - v));
    deepest = std::max(deepest, -gap);
  }
  CHECK(deepest > 1.2 * m * g / k_N);  // it overshot
  bound("ball on a floor that yields, deviation of the velocity [m/s]", worst, 1e-9);
  compare("ball on a floor that yields, penetration at rest [m]",
          radius - world.bodies().position[1].dot(up<D>()), m * g / k_N, 1e-9 * m * g / k_N);
}

TEST_CASE_TEMPLATE("balls in a column penetrate by the weight they carry", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int count = 10;
  constexpr double radius = 0.05;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int i = 0; i < count; ++i) bodies.push_back(ball<D>(radius, at<D>(0, (2 * i + 1) * radius)));
  // The slowest swing dies down by ω²h/2 a second, so a longer step comes to rest sooner.
  World<D> world(scene_of<D>(10 * h, yielding(), bodies));
  run(world, 4000);
  const double weight = world.bodies().mass[1] * g;
  for (std::size_t i = 1; i <= count; ++i) {
    const double below = i == 1 ? -radius : world.bodies().position[i - 1].dot(up<D>());
    const double expected = static_cast<double>(count + 1 - i) * weight / k_N;
    compare("column that yields, penetration [m]",
            2 * radius - (world.bodies().position[i].dot(up<D>()) - below), expected,
            1e-7 * expected);
  }
}

// A block pushed at its centre shears the springs of its n corners and tilts on them:
//     x = F/(n k_T) + c²F/(n k_N (w/2)²),   c half its height, w its width,
// to first order, and goes back when it is let go.
TEST_CASE_TEMPLATE("a block leans on the springs under it and springs back", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double width = 0.4, height = 0.1, corners = D == 2 ? 2 : 4;
  Scene<D> scene = scene_of<D>(
      h, yielding(), {ground<D>(), block<D>(sides<D>(width, height, width), at<D>(0, height / 2))});
  scene.bodies[1].mass = 40;
  AppliedForce<D> push;
  push.body = 1;
  push.direction = along<D>();
  const double F = 0.7 * mu * 40 * g;  // every corner sticks
  push.signal = Table{{1, 2, 3, 4}, {0, F, F, 0}};
  scene.forces = {push};
  World<D> world(scene);
  const auto run_to = [&](double t) {
    while (world.time() < t - 0.5 * h) CHECK(world.step().converged);
  };
  const auto x = [&] { return world.bodies().position[1].dot(along<D>()); };
  run_to(1);
  const double start = x();
  run_to(3);
  const double lean =
      F / (corners * k_T) + 0.25 * height * height * F / (corners * k_N * 0.25 * width * width);
  compare("block on springs, leaning [m]", x() - start, lean, 1e-3 * lean);
  run_to(10);
  bound("block on springs, what is left of the leaning [m]", x() - start, 1e-6 * lean);
}

TEST_CASE_TEMPLATE("a block on springs slides by Coulomb's law once they are stretched", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = scene_of<D>(h, yielding(),
                               {ground<D>(), block<D>(sides<D>(0.4, 0.05, 0.4), at<D>(0, 0.025))});
  scene.bodies[1].mass = 40;
  AppliedForce<D> push;
  push.body = 1;
  push.direction = along<D>();
  const double F = 1.5 * mu * 40 * g;
  push.signal = Table{{0.5, 0.7}, {0, F}};
  scene.forces = {push};
  World<D> world(scene);
  double v_before = 0;
  for (int step = 0; step < 2000; ++step) {
    CHECK(world.step().converged);
    if (step == 1499) v_before = world.bodies().velocity[1].dot(along<D>());
  }
  const double a = (world.bodies().velocity[1].dot(along<D>()) - v_before) / (500 * h);
  compare("block sliding on springs, acceleration [m/s^2]", a, F / 40 - mu * g, 1e-4 * mu * g);
}

TEST_CASE("a heap of balls that yield goes on from its state bit for bit, on any threads") {
  std::vector<BodyDescription<3>> bodies = {ground<3>()};
  for (int i = 0; i < 64; ++i) {
    bodies.push_back(ball<3>(
        0.05, {0.11 * (i % 4) + 0.01 * (i / 16), 0.11 * (i / 4 % 4), 0.051 + 0.105 * (i / 16)}));
  }
  const Scene<3> scene = scene_of<3>(h, yielding(), bodies);
  World<3> once(scene), again(scene);
  for (int k = 0; k < 150; ++k) once.step();
  const WorldState<3> state = once.state();
  for (int k = 0; k < 150; ++k) once.step();
  set_threads(3);
  again.restore(state);
  for (int k = 0; k < 150; ++k) again.step();
  set_threads(1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(once.bodies().position[i] == again.bodies().position[i]);
    CHECK(once.bodies().spin[i] == again.bodies().spin[i]);
  }
}

// k → ∞ is the rigid law.
TEST_CASE_TEMPLATE("ever stiffer springs give the rigid motion", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const auto sliding_block = [](const ContactLaw& law) {
    Scene<D> scene =
        scene_of<D>(h, law, {ground<D>(), block<D>(sides<D>(0.4, 0.1, 0.4), at<D>(0, 0.05))});
    scene.bodies[1].velocity = 0.5 * along<D>();
    World<D> world(scene);
    for (int step = 0; step < 300; ++step) CHECK(world.step().converged);
    return world.bodies().position[1].dot(along<D>());
  };
  ContactLaw rigid;
  rigid.friction = mu;
  const double x = sliding_block(rigid);
  double last = 1;
  for (const double stiffness : {1e6, 1e8, 1e10}) {
    ContactLaw law = yielding();
    law.normal_stiffness = law.tangential_stiffness = stiffness;
    const double off = std::abs(sliding_block(law) - x);
    CHECK(off <= 0.05 * last);
    last = off;
  }
  bound("stiff springs, deviation from the rigid motion [m]", last, 1e-6);
}

// More contacts than one thread would take for itself: every stage of the step is shared.
TEST_CASE("a large heap steps to the same bits on any number of threads") {
  std::vector<BodyDescription<3>> bodies = {ground<3>()};
  for (int i = 0; i < 13 * 13 * 13; ++i) {
    bodies.push_back(
        ball<3>(0.05, {0.0999 * (i % 13), 0.0999 * (i / 13 % 13), 0.05 + 0.0999 * (i / 169)}));
  }
  Scene<3> scene = scene_of<3>(h, yielding(), bodies);
  scene.solver.tolerance = 1e-3;
  const auto stepped = [&](int count) {
    set_threads(count);
    World<3> world(scene);
    for (int k = 0; k < 5; ++k) world.step();
    set_threads(1);
    CHECK(world.contacts().size() > worth_sharing);
    return world.state();
  };
  const WorldState<3> once = stepped(1);
  for (const int count : {2, 3}) {
    const WorldState<3> again = stepped(count);
    CHECK(once.position == again.position);
    CHECK(once.velocity == again.velocity);
    CHECK(once.spin == again.spin);
  }
}
