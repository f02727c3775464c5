// SPDX-License-Identifier: Apache-2.0
// Measures of worlds whose solid fractions, stresses and flows are known.
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
Polytope<D> between(const Vec<D>& low, const Vec<D>& high) {
  return std::get<Polytope<D>>(moved<D>(box<D>(high - low), (low + high) / 2, Orientation<D>{}));
}

template <int D>
Measure<D> region_measure(const Vec<D>& low, const Vec<D>& high, std::vector<Quantity> quantities) {
  return {"region", 1, RegionMeasure<D>{between<D>(low, high), std::move(quantities)}};
}

// The number of a row that stands under a name.
template <int D>
double value(const World<D>& world, std::size_t measure, const std::string& column) {
  const auto columns = measure_columns<D>(world.scene().measures[measure]);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == column) return world.measures().row(measure)[k];
  FAIL("no column ", column);
  return 0;
}

template <int D>
Mat<D> tensor(const World<D>& world, std::size_t measure, const std::string& name) {
  Mat<D> t;
  const std::string axes = "xyz";
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j)
      t(static_cast<int>(i), static_cast<int>(j)) =
          value(world, measure, name + "_" + axes[i] + axes[j]);
  return t;
}

template <int D>
BodyDescription<D> wall(const Vec<D>& normal, const Vec<D>& position) {
  BodyDescription<D> body;
  body.shapes = {HalfSpace<D>{normal, 0}};
  body.position = position;
  body.fixed = true;
  return body;
}

const char* const last_axes[] = {"", "", "stress_yy", "stress_zz"};

}  // namespace

TEST_CASE_TEMPLATE("in a column of balls the stress is the weight above over the area", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr int N = 6;
  constexpr double r = 0.01, side = 0.05;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int k = 0; k < N; ++k) bodies.push_back(ball<D>(r, at<D>(0, (2 * k + 1) * r)));
  Scene<D> scene = scene_of<D>(1e-3, {.friction = 0.5}, bodies);
  const Vec<D> half_width = (Vec<D>::Ones() - up<D>()) * side / 2;
  const double area = D == 2 ? side : side * side;
  const auto slab = [&](double low, double high) {
    return region_measure<D>(low * up<D>() - half_width, high * up<D>() + half_width,
                             {Quantity::stress, Quantity::coordination, Quantity::solid_fraction});
  };
  // Between two neighbouring centres; over half of a branch and half of the next; over all.
  scene.measures = {slab(3 * r, 5 * r), slab(4 * r, 6 * r), slab(0, 2 * N * r)};
  World<D> world(scene);
  run(world, 20);

  const double weight = world.bodies().mass[1] * g;
  const char* const vertical = last_axes[D];
  const double tolerance = 1e-7 * weight / area;
  compare("stress between two balls", value(world, 0, vertical), (N - 2) * weight / area,
          tolerance);
  compare("stress about a ball", value(world, 1, vertical), (N - 2.5) * weight / area, tolerance);
  double branches = N * weight * r;  // the ground has none
  for (int k = 1; k < N; ++k) branches += (N - k) * weight * 2 * r;
  compare("stress of a column", value(world, 2, vertical), branches / (area * 2 * N * r),
          tolerance);
  compare("its pressure", value(world, 2, "pressure"), branches / (area * 2 * N * r) / D,
          tolerance);
  CHECK(value(world, 2, "grains") == N);
  CHECK(value(world, 2, "coordination") == doctest::Approx((2.0 * (N - 1) + 1) / N));
  const double one = world.bodies().mass[1] / scene.materials[1].density;
  CHECK(value(world, 0, "solid_fraction") == doctest::Approx(one / (2 * r * area)).epsilon(1e-9));
  CHECK(value(world, 2, "solid_fraction") ==
        doctest::Approx(N * one / (2 * N * r * area)).epsilon(1e-9));
}

TEST_CASE("disks pressed by two pistons have the pressures of the pistons") {
  constexpr int n = 5;
  constexpr double r = 0.01, side = 2 * n * r, P_x = 300, P_y = 500;  // N/m
  std::vector<BodyDescription<2>> bodies = {wall<2>({1, 0}, {0, 0}), wall<2>({0, 1}, {0, 0})};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) bodies.push_back(ball<2>(r, {(2 * i + 1) * r, (2 * j + 1) * r}));
  bodies.push_back(block<2>({0.02, side - r}, {side + 0.01, side / 2}));  // apart at the corner
  bodies.push_back(block<2>({side - r, 0.02}, {side / 2, side + 0.01}));
  const int right = static_cast<int>(bodies.size()) - 2, top = right + 1;
  for (const int piston : {right, top})
    bodies[static_cast<std::size_t>(piston)].rotation_locked = true;
  Scene<2> scene = scene_of<2>(1e-3, {.friction = 0}, bodies);
  scene.gravity.setZero();
  scene.forces = {{right, {-1, 0}, Spin<2>::Zero(), {0, 0}, Constant{P_x * side}},
                  {top, {0, -1}, Spin<2>::Zero(), {0, 0}, Constant{P_y * side}}};
  scene.measures = {
      region_measure<2>({0, 0}, {side, side}, {Quantity::stress, Quantity::solid_fraction})};
  World<2> world(scene);
  for (int k = 0; k < 10; ++k) world.step();
  // How the load is shared among the rows is not determined; what they carry together is.
  const Mat<2> stress = tensor<2>(world, 0, "stress");
  compare("stress along x", stress(0, 0), P_x, 1e-5 * P_x);
  compare("stress along y", stress(1, 1), P_y, 1e-5 * P_x);
  bound("shear stress", std::abs(stress(0, 1)) + std::abs(stress(1, 0)), 1e-5 * P_x);
  compare("solid fraction", value(world, 0, "solid_fraction"), pi / 4, 1e-9);
}

// Σ_c f ⊗ ℓ of all grains is the moment of what acts on them from outside, of the walls at the
// contacts and of gravity and inertia at the centres: forces between grains cancel in it.
TEST_CASE("the stress of a heap is the moment of the walls, of gravity and of inertia") {
  constexpr double r = 0.01;
  std::vector<BodyDescription<3>> bodies = {
      wall<3>({0, 0, 1}, {0, 0, 0}), wall<3>({1, 0, 0}, {-0.03, 0, 0}),
      wall<3>({-1, 0, 0}, {0.03, 0, 0}), wall<3>({0, 1, 0}, {0, -0.03, 0}),
      wall<3>({0, -1, 0}, {0, 0.03, 0})};
  for (int k = 0; k < 40; ++k) {
    const double x = 0.8 * r * std::sin(3.7 * k), y = 0.8 * r * std::cos(5.1 * k);
    const Vec<3> centre(x + 0.018 * (k % 3 - 1), y + 0.018 * (k / 3 % 3 - 1),
                        0.04 * (k / 3) / 3.0 + r);
    bodies.push_back(ball<3>((0.8 + 0.04 * (k % 5)) * r, centre + Vec<3>(0, 0, 0.012 * k)));
  }
  Scene<3> scene = scene_of<3>(1e-3, {.friction = 0.3}, bodies);
  scene.solver.tolerance = 1e-8;
  scene.measures = {
      region_measure<3>({-0.04, -0.04, -0.01}, {0.04, 0.04, 0.49}, {Quantity::stress}),
  };
  World<3> world(scene);
  for (int k = 0; k < 1200; ++k) world.step();
  const std::vector<Vec<3>> v_minus = world.bodies().velocity;
  world.step();

  Mat<3> moment = Mat<3>::Zero();
  for (const ActiveContact<3>& active : world.contacts()) {
    const auto a = static_cast<std::size_t>(active.contact.key.a);
    if (!world.bodies().moves_freely(a))  // walls come first, the force is on the grain
      moment -= active.frame * active.percussion / scene.h * active.contact.point.transpose();
  }
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    const Vec<3> acceleration = (world.bodies().velocity[i] - v_minus[i]) / scene.h;
    moment += world.bodies().mass[i] * (acceleration - scene.gravity) *
              world.bodies().position[i].transpose();
  }
  const Mat<3> stress = tensor<3>(world, 0, "stress");
  const double volume = 0.08 * 0.08 * 0.5, scale = stress.norm();
  bound("stress against moments", (stress - moment / volume).norm(), 1e-9 * scale);
  bound("its asymmetry, nearly at rest", (stress - stress.transpose()).norm(), 1e-3 * scale);
  CHECK(stress(2, 2) > 0);  // which of them is larger, walls that hold by friction may decide
  CHECK(stress(0, 0) > 0);
}

TEST_CASE_TEMPLATE("the kinetic stress is that of velocities about their mean", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::vector<BodyDescription<D>> bodies;
  for (const double v : {1.0, -1.0})
    bodies.push_back(ball<D>(0.01, at<D>(0.1 * v, 0), at<D>(0.3 * v, 7)));
  bodies.push_back(ball<D>(0.01, at<D>(5, 0), at<D>(100, 0)));  // elsewhere
  Scene<D> scene = scene_of<D>(1e-3, {}, bodies);
  scene.gravity.setZero();
  scene.measures = {
      region_measure<D>(Vec<D>::Constant(-1), Vec<D>::Constant(1), {Quantity::kinetic_stress})};
  World<D> world(scene);
  world.step();
  const Mat<D> stress = tensor<D>(world, 0, "kinetic_stress");
  const double m = world.bodies().mass[0], volume = D == 2 ? 4 : 8;
  CHECK(value(world, 0, "grains") == 2);
  CHECK(stress(0, 0) == doctest::Approx(2 * m * 0.09 / volume).epsilon(1e-12));
  CHECK(std::abs(stress.trace() - stress(0, 0)) < 1e-12 * stress(0, 0));
}

TEST_CASE_TEMPLATE("what falls through a plane is counted when it does, and back again", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, radius = 0.01;
  std::vector<BodyDescription<D>> bodies = {ground<D>()};
  for (int k = 0; k < 5; ++k) bodies.push_back(ball<D>(radius, at<D>(k, 0.3 + 0.1 * k)));
  Scene<D> scene = scene_of<D>(h, {.friction = 0, .restitution = 1}, bodies);
  scene.measures = {{"down", 10, PlaneMeasure<D>{at<D>(0, 0.2), -up<D>()}},
                    {"up", 7, PlaneMeasure<D>{at<D>(0, 0.2), up<D>()}}};
  World<D> world(scene);
  const double m = world.bodies().mass[1];
  double last = 0;
  for (int k = 1; k <= 500; ++k) {
    world.step();
    double below = 0;
    for (std::size_t i = 1; i < world.bodies().size(); ++i)
      below += world.bodies().position[i][D - 1] < 0.2;
    if (k % 10 == 0) {
      CHECK(value(world, 0, "grains") == below);
      CHECK(value(world, 0, "mass") == doctest::Approx(below * m).epsilon(1e-12));
      CHECK(value(world, 0, "grains_rate") == doctest::Approx((below - last) / (10 * h)));
      last = below;
    }
    if (k % 7 == 0) CHECK(value(world, 1, "grains") == -below);
    if (k == 200) CHECK(below == 1);  // √(2 · 0.1 / g) = 0.143 s, √(2 · 0.2 / g) = 0.202 s
  }
}

// Places of bodies that have left are taken by others: who passes is told by what the outlet took.
// Where a measure has no value yet, both are NaN.
static bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

TEST_CASE("what is born and what is taken away passes through no plane") {
  constexpr double h = 2e-3;
  Scene<2> scene = scene_of<2>(h, {.friction = 0.3}, {ground<2>()});
  scene.bodies[0].position[1] = -5;
  scene.solver.tolerance = 1e-6;
  Emitter<2> emitter;
  emitter.zone = {box_region<2>({0.4, 0.1}), {0, 1}, {}};
  for (int k = 0; k < 40; ++k) {
    emitter.grains.push_back(ball<2>(0.02, {0, 0}));
    emitter.grains.back().mass = (1 + k % 5) / 8.0;
    emitter.due.push_back(0.02 * k);
  }
  scene.emitters.push_back(emitter);
  scene.outlets.push_back({"below", {box_region<2>({2, 1}), {0, -1.5}, {}}});
  scene.measures = {{"middle", 1, PlaneMeasure<2>{{0, 0.3}, {0, -1}}},
                    {"above all", 1, PlaneMeasure<2>{{0, 3}, {0, 1}}},
                    {"all", 1, RegionMeasure<2>{{}, {Quantity::coordination}}}};
  World<2> world(scene), resumed(scene);
  for (int k = 0; k < 1000; ++k) {
    if (k == 500) resumed.restore(world.state());
    const Certificate step = world.step();
    if (k >= 500) resumed.step();
    double below = static_cast<double>(step.removed), mass = step.removed_mass;
    for (std::size_t i = 0; i < world.bodies().size(); ++i)
      if (world.bodies().moves_freely(i) && world.bodies().position[i][1] < 0.3) {
        ++below;
        mass += world.bodies().mass[i];
      }
    REQUIRE(value(world, 0, "grains") == below);
    REQUIRE(value(world, 0, "mass") == mass);
    REQUIRE(value(world, 1, "grains") == 0);
    REQUIRE(value(world, 2, "grains") == static_cast<double>(step.bodies) - 1);
  }
  CHECK(value(world, 0, "grains") == 40);
  CHECK(same_numbers(resumed.state().measures, world.state().measures));
}

TEST_CASE("a world that was restored measures on, bit for bit") {
  std::vector<BodyDescription<2>> bodies = {ground<2>()};
  for (int k = 0; k < 6; ++k) bodies.push_back(ball<2>(0.01, {0.005 * (k % 2), 0.02 + 0.021 * k}));
  Scene<2> scene = scene_of<2>(1e-3, {.friction = 0.3}, bodies);
  scene.measures = {{"flow", 3, PlaneMeasure<2>{{0, 0.05}, {0, -1}}},
                    region_measure<2>({-0.05, 0}, {0.05, 0.04},
                                      {Quantity::stress, Quantity::coordination,
                                       Quantity::solid_fraction, Quantity::kinetic_stress})};
  World<2> whole(scene), first(scene), second(scene);
  for (int k = 0; k < 61; ++k) {
    whole.step();
    first.step();
  }
  second.restore(first.state());
  for (int k = 0; k < 60; ++k) {
    whole.step();
    second.step();
    for (const std::size_t measure : {0, 1}) {
      if (!is_due<2>(scene.measures[measure], whole.steps())) continue;
      const auto a = whole.measures().row(measure), b = second.measures().row(measure);
      for (std::size_t i = 0; i < a.size(); ++i) CHECK((a[i] == b[i] || std::isnan(a[i])));
    }
  }
  CHECK(same_numbers(whole.state().measures, second.state().measures));
  CHECK(whole.state().measures[0] > 0);
}

TEST_CASE("all grains are measured where no region is given") {
  Scene<2> scene = scene_of<2>(1e-3, {.friction = 0.3},
                               {ground<2>(), ball<2>(0.01, {0, 0.01}), ball<2>(0.01, {3, 0.01})});
  scene.measures = {{"all", 1, RegionMeasure<2>{{}, {Quantity::coordination}}}};
  World<2> world(scene);
  world.step();
  CHECK(value(world, 0, "grains") == 2);
  CHECK(value(world, 0, "coordination") == 1);
  CHECK(value(world, 0, "rattlers") == 2);
}

TEST_CASE_TEMPLATE("friction takes the energy of a sliding block, impacts that of a falling ball",
                   Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> sliding = scene_of<D>(1e-3, {.friction = 0.3},
                                 {ground<D>(), block<D>(Vec<D>::Constant(0.1), at<D>(0, 0.05))});
  sliding.bodies[1].velocity = 0.5 * along<D>();
  World<D> slide(sliding);
  const double energy = slide.kinetic_energy();
  double friction = 0, normal = 0, contact = 0;
  run(slide, 300, [&](const Certificate& step) {
    friction += step.friction_work;
    normal += step.normal_work;
    contact += step.contact_work;
  });
  compare("work of friction", friction, -energy, 1e-6 * energy);
  bound("work of normal percussions", std::abs(normal), 1e-6 * energy);
  compare("sum of both", friction + normal, contact, 1e-12 * energy);

  constexpr double rho = 0.6;
  World<D> fall(scene_of<D>(1e-3, {.friction = 0.3, .restitution = rho},
                            {ground<D>(), ball<D>(0.1, at<D>(0, 0.6))}));
  bool bounced = false;
  run(fall, 500, [&](const Certificate& step) {
    if (bounced || step.normal_work == 0) return;
    bounced = true;
    const double after = fall.kinetic_energy();  // ρ² of what it was, at the jump of velocities
    compare("work of the impact", step.normal_work, -after * (1 / (rho * rho) - 1), 0.01 * after);
    CHECK(step.friction_work == 0);
  });
  CHECK(bounced);
}
