// SPDX-License-Identifier: Apache-2.0
// Loads and controls whose effect is known: pressures, groups, contacts that are switched off,
// signals that depend on measures, conditions that end a run.
#include <optional>

#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
double column(const World<D>& world, std::size_t measure, const std::string& name) {
  const auto columns = measure_columns<D>(world.scene().measures[measure]);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == name) return world.measures().row(measure)[k];
  FAIL("no column ", name);
  return 0;
}

template <int D>
const std::string upwards = D == 2 ? "_y" : "_z";

template <int D>
Measure<D> measure_of(const std::string& name, std::vector<int> bodies, int every = 1,
                      std::optional<Vec<D>> about = {}) {
  return {
      name, every,
      BodyMeasure<D>{std::move(bodies), {BodyQuantity::force, BodyQuantity::displacement}, about}};
}

// Index of a column.
template <int D>
int number_of(const Measure<D>& measure, const std::string& name) {
  const auto columns = measure_columns<D>(measure);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == name) return static_cast<int>(k);
  FAIL("no column ", name);
  return -1;
}

// p on the face of a body with an outward normal, in its axes.
template <int D>
AppliedForce<D> pressure_on(int body, const Vec<D>& normal, double area, const Vec<D>& centre,
                            Signal p) {
  return {body, -normal, Spin<D>::Zero(), centre, std::move(p), area};
}

}  // namespace

TEST_CASE_TEMPLATE("a piston under a pressure carries p A and its weight on its bed", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double r = 0.01, side = 0.08, p = 3e5;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (const double x : {-0.03, -0.01, 0.01, 0.03}) bodies.push_back(ball<D>(r, at<D>(x, r)));
  bodies.push_back(block<D>(sides<D>(side, 0.02, side), at<D>(0, 2 * r + 0.01)));
  const int piston = static_cast<int>(bodies.size()) - 1;
  bodies.back().rotation_locked = true;
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.3}, bodies);
  const double area = D == 2 ? side : side * side;
  scene.forces = {pressure_on<D>(piston, up<D>(), area, at<D>(0, 0.01), Constant{p})};
  scene.measures = {measure_of<D>("floor", {0}), measure_of<D>("piston", {piston}),
                    measure_of<D>("bed", {1, 2, 3, 4})};
  World<D> world(scene);
  run(world, 30);
  double weight = 0;
  for (std::size_t i = 1; i + 1 < bodies.size(); ++i) weight += g * world.bodies().mass[i];
  const double piston_weight = g * world.bodies().mass[static_cast<std::size_t>(piston)];
  const double load = p * area + piston_weight;
  const double tolerance = 1e-9 * load;
  compare("force on the bed", column(world, 1, "force" + upwards<D>), load, tolerance);
  compare("force on the floor", column(world, 0, "force" + upwards<D>), -load - weight, tolerance);
  compare("net force on the bed", column(world, 2, "force" + upwards<D>), weight, tolerance);
  bound("force along the floor", column(world, 0, "force_x"), tolerance);
}

TEST_CASE_TEMPLATE("a pressure turns with its face, and acts at the centre of the face", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, p = 500, angle = 40 * degree;
  Scene<D> scene = scene_of<D>(h, {}, {block<D>(sides<D>(0.2, 0.1, 0.3), at<D>(0, 0), angle)});
  scene.gravity.setZero();
  const double area = D == 2 ? 0.2 : 0.2 * 0.3, arm = 0.03;
  scene.forces = {pressure_on<D>(0, up<D>(), area, at<D>(arm, 0.05), Constant{p})};
  World<D> world(scene);
  world.step();
  const Mat<D> R = rotation_matrix<D>(scene.bodies[0].orientation);
  const Vec<D> expected = -h * p * area / world.bodies().mass[0] * (R * up<D>());
  bound("velocity", (world.bodies().velocity[0] - expected).norm(), 1e-14 * expected.norm());
  // The moment of −p A up at (arm, ·) turns from up towards along, −arm p A.
  const Spin<D> axis = turning<D>();
  const double inertia = (axis.transpose() * world.bodies().inertia[0] * axis).value();
  compare("spin", world.bodies().spin[0].dot(axis), -h * p * area * arm / inertia,
          1e-12 * h * p * area * arm / inertia);
}

TEST_CASE_TEMPLATE("what is at rest on a floor presses on it with its weight and moment", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double x = 0.7;
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.5},
                               {ground<D>(), block<D>(sides<D>(0.2, 0.1, 0.2), at<D>(x, 0.05)),
                                block<D>(sides<D>(0.2, 0.1, 0.2), at<D>(x, 0.15))});
  scene.measures = {measure_of<D>("floor", {0}), measure_of<D>("stack", {1, 2}, 1, at<D>(x, 0))};
  World<D> world(scene);
  run(world, 20);
  const double weight = g * (world.bodies().mass[1] + world.bodies().mass[2]);
  compare("force on the floor", column(world, 0, "force" + upwards<D>), -weight, 1e-9 * weight);
  // About the floor's origin, x × (−weight up): turns from along to down.
  if constexpr (D == 2) {
    compare("moment on the floor", column(world, 0, "moment"), -weight * x, 1e-9 * weight);
    bound("moment on the stack", column(world, 1, "moment"), 1e-9 * weight);
  } else {
    compare("moment on the floor", column(world, 0, "moment_y"), weight * x, 1e-9 * weight);
    bound("moment on the stack", column(world, 1, "moment_y"), 1e-9 * weight);
  }
  compare("force on the stack", column(world, 1, "force" + upwards<D>), weight, 1e-9 * weight);
  bound("force between the blocks cancels", column(world, 1, "force_x"), 1e-9 * weight);
}

TEST_CASE_TEMPLATE("groups that do not collide fall through each other and nothing else", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, r = 0.05;
  // Two balls fall on two plates; the first passes both, the second lands.
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (const double height : {0.3, 0.15}) {
    bodies.push_back(block<D>(sides<D>(2, 0.02, 1), at<D>(0, height)));
    bodies.back().fixed = true;
  }
  bodies.push_back(ball<D>(r, at<D>(-0.5, 0.5)));
  bodies.push_back(ball<D>(r, at<D>(0.5, 0.5)));
  Scene<D> scene = scene_of<D>(h, {.friction = 0.3}, bodies);
  scene.no_contact = {1, {0, 1, 1, 0, 0}, {0, 0, 0, 1, 0}};
  World<D> world(scene);
  double v = 0;
  double z = 0.5;
  int passed = 0;
  for (int k = 0; k < 280; ++k) {
    passed += world.step().passed_through;
    z += h / 2 * v;
    v -= g * h;
    z += h / 2 * v;
  }
  REQUIRE(z < 0.15);
  compare("height of the ball that passes", world.bodies().position[3][D - 1], z, 1e-12);
  compare("height of the ball that lands", world.bodies().position[4][D - 1], 0.31 + r, 1e-6);
  CHECK(passed == 0);
  for (int k = 0; k < 200; ++k) world.step();
  compare("the ground holds it", world.bodies().position[3][D - 1], r, 1e-6);
}

TEST_CASE_TEMPLATE("the strain of an affine motion is exact", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-2;
  constexpr int steps = 30;
  Mat<D> L = Mat<D>::Zero();  // velocity gradient [1/s]
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) L(i, j) = 0.1 * (i + 1) - 0.23 * j + 0.05 * i * j;
  std::vector<BodyDescription<D>> bodies;
  for (int k = 0; k < 60; ++k) {
    Vec<D> x;
    for (int i = 0; i < D; ++i) x[i] = 3 * std::sin(1.7 * (i + 1) * k + 2.1 * i) + i;
    bodies.push_back(ball<D>(1e-7, x, Vec<D>(L * x + Vec<D>::Constant(0.4))));
  }
  Scene<D> scene = scene_of<D>(h, {}, bodies);
  scene.gravity.setZero();
  RegionMeasure<D> some{box<D>(Vec<D>::Constant(7)), {Quantity::strain}};
  scene.measures = {{"all", 1, RegionMeasure<D>{{}, {Quantity::strain}}}, {"some", 1, some}};
  World<D> world(scene);
  for (int k = 0; k < steps; ++k) world.step();
  const Mat<D> G = steps * h * L;
  const std::string axes = "xyz";
  for (const std::size_t measure : {0, 1}) {
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t j = 0; j < D; ++j)
        compare("strain", column(world, measure, std::string("strain_") + axes[i] + axes[j]),
                0.5 * (G(int(i), int(j)) + G(int(j), int(i))), 1e-12);
    compare("volumetric strain", column(world, measure, "volumetric_strain"),
            (Mat<D>::Identity() + G).determinant() - 1, 1e-12);
  }
}

TEST_CASE("two grains span no volume and have no strain") {
  Scene<2> scene = scene_of<2>(1e-2, {}, {ball<2>(0.1, {0, 0}), ball<2>(0.1, {1, 1})});
  scene.measures = {{"all", 1, RegionMeasure<2>{{}, {Quantity::strain}}}};
  World<2> world(scene);
  world.step();
  CHECK(std::isnan(column(world, 0, "strain_xx")));
}

TEST_CASE_TEMPLATE("a group is displaced by the mean of its bodies", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = scene_of<D>(
      1e-2, {}, {ball<D>(0.1, at<D>(0, 0), at<D>(1, 2)), ball<D>(0.1, at<D>(1, 1), at<D>(3, 0))});
  scene.gravity.setZero();
  scene.measures = {measure_of<D>("both", {0, 1}, 5)};
  World<D> world(scene);
  CHECK(std::isnan(column(world, 0, "displacement_x")));  // before the first row
  for (int k = 0; k < 9; ++k) world.step();
  compare("along", column(world, 0, "displacement_x"), 0.05 * 2, 1e-14);
  compare("up", column(world, 0, "displacement" + upwards<D>), 0.05, 1e-14);
  compare("its length", column(world, 0, "displacement"), 0.05 * std::hypot(2, 1), 1e-14);
}

TEST_CASE("the contacts of a column are all vertical and carry the weights above") {
  constexpr int N = 6;
  constexpr double r = 0.01;
  std::vector<BodyDescription<3>> bodies = {ground<3>()};
  for (int k = 0; k < N; ++k) bodies.push_back(ball<3>(r, {0, 0, (2 * k + 1) * r}));
  Scene<3> scene = scene_of<3>(1e-3, {.friction = 0.5}, bodies);
  RegionMeasure<3> all{{}, {Quantity::fabric, Quantity::forces}, {.bins = 8, .largest = 2}};
  scene.measures = {{"all", 1, all}};
  World<3> world(scene);
  run(world, 20);
  const double weight = g * world.bodies().mass[1];
  compare("fabric", column(world, 0, "fabric_zz"), 1, 1e-12);
  bound("fabric across", column(world, 0, "fabric_xx"), 1e-12);
  compare("mean force", column(world, 0, "force_mean"), 3.5 * weight, 1e-7 * weight);
  compare("largest force", column(world, 0, "force_max"), 6 * weight, 1e-7 * weight);
  // k/3.5 for k = 1 … 6 is 0.29, 0.57, 0.86, 1.14, 1.43, 1.71; bins are 0.25 wide.
  const double expected[] = {0, 1, 1, 1, 1, 1, 1, 0};
  for (int k = 0; k < 8; ++k)
    CHECK(column(world, 0, "force_bin_" + std::to_string(k)) == expected[k]);
}

TEST_CASE("a signal follows its measure, its target and its limits") {
  Feedback feedback{"m.x", 0, 1, Constant{10}, 0.5, 2, 3};
  const Signal signal = feedback;
  const auto with = [&](double x) {
    const std::vector<std::vector<double>> rows = {{99, x}};
    return value(signal, 0, rows);
  };
  CHECK(value(signal, 0) == 2);  // nothing measured
  CHECK(with(std::nan("")) == 2);
  CHECK(with(9) == 2.5);
  CHECK(with(0) == 3);
  CHECK(with(100) == -3);
  CHECK(depends_on_state(signal));
  feedback.target = Table{{0, 1}, {0, 10}};
  const std::vector<std::vector<double>> rows = {{0, 4}};
  CHECK(value(Signal{feedback}, 0.5, rows) == 2.5);
}

namespace {

// Yielding balls between a floor and a plate, which moves so as to press with a target.
template <int D>
Scene<D> servo(double target, int every) {
  constexpr double r = 0.01, k = 1e4;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int i = 0; i < 3; ++i) bodies.push_back(ball<D>(r, at<D>(0, (2 * i + 1) * r)));
  bodies.push_back(block<D>(sides<D>(0.1, 0.02, 0.1), at<D>(0, 6 * r + 0.0105)));  // 0.5 mm above
  Scene<D> scene = scene_of<D>(
      5e-3, {.friction = 0.3, .normal_stiffness = k, .tangential_stiffness = k}, bodies);
  scene.measures = {measure_of<D>("plate", {4}, every)};
  const int up_force = number_of<D>(scene.measures[0], "force" + upwards<D>);
  scene.bodies[4].drives = {
      drive_along<D>(Drive<D>::Kind::velocity, -up<D>(),
                     Feedback{"plate.force", 0, up_force, Constant{target}, 2e-3, 0, 0.02})};
  return scene;
}

}  // namespace

TEST_CASE_TEMPLATE("a plate that is driven by its force reaches its target and stays there", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double target = 20;  // [N]
  World<D> world(servo<D>(target, 1));
  int unsolved = 0;
  for (int k = 0; k < 1500; ++k) unsolved += !world.step().converged;
  CHECK(unsolved == 0);
  compare("force on the plate", column(world, 0, "force" + upwards<D>), target, 1e-6 * target);
  bound("its speed", world.bodies().velocity[4].norm(), 1e-9);
}

TEST_CASE("a world restored between two rows of a measure goes on with what it measured") {
  World<2> whole(servo<2>(20, 7));
  for (int k = 0; k < 100; ++k) whole.step();
  World<2> restored(servo<2>(20, 7));
  restored.restore(whole.state());
  CHECK(restored.measures().row(0)[1] == whole.measures().row(0)[1]);
  for (int k = 0; k < 100; ++k) {
    whole.step();
    restored.step();
  }
  for (std::size_t i = 0; i < whole.bodies().size(); ++i) {
    CHECK(whole.bodies().position[i] == restored.bodies().position[i]);
    CHECK(whole.bodies().velocity[i] == restored.bodies().velocity[i]);
  }
}

TEST_CASE("rest is a number of steps in which nothing moves, counted anew after each motion") {
  constexpr double h = 1e-3;
  // A ball rolls on the floor until a slope of time, and then stands: here by a drive that ends.
  Scene<2> scene =
      scene_of<2>(h, {.friction = 0.5}, {ground<2>(), block<2>({0.2, 0.1}, {0, 0.05})});
  scene.bodies[0].fixed = false;
  scene.bodies[0].drives = {
      drive_along<2>(Drive<2>::Kind::velocity, {1, 0},
                     Table{{0, 0.01, 0.011, 0.02, 0.021}, {0, 0, 0.01, 0.01, 0}})};
  scene.stops = {Rest{1e-6, 15}};
  World<2> world(scene);
  int steps = 0;
  while (!world.stopped() && steps < 1000) {
    world.step();
    ++steps;
  }
  // The first motion, before 15 steps have passed, begins with step 11 and ends with step 20.
  CHECK(world.stopped() == 0);
  CHECK(steps > 30);
  CHECK(steps < 45);
}

TEST_CASE("a threshold ends a run at the first row beyond it, and the first condition counts") {
  Scene<2> scene = scene_of<2>(1e-2, {}, {ball<2>(0.1, {0, 0}, {1, 0})});
  scene.gravity.setZero();
  scene.measures = {measure_of<2>("ball", {0}, 4)};
  const auto column_of = [&](const std::string& name) {
    return number_of<2>(scene.measures[0], name);
  };
  scene.stops = {Threshold{"ball.displacement_y", 0, column_of("displacement_y"), -1, false},
                 Threshold{"ball.displacement_x", 0, column_of("displacement_x"), 0.1, true},
                 Rest{2, 1000}};
  World<2> world(scene);
  int steps = 0;
  while (!world.stopped() && steps < 1000) {
    world.step();
    ++steps;
  }
  CHECK(steps == 12);  // 0.12 m in the row of step 12; 0.08 m in that of step 8
  CHECK(world.stopped() == 1);
}
