// SPDX-License-Identifier: Apache-2.0
// Periodic cells that deform, with a velocity gradient that is prescribed or against a stress.
#include "engine/measure/region_measures.hpp"
#include "tests/physics/cell/cell_scenes.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

template <int D>
Scene<D> balls_at_rest(const ContactLaw& law, std::vector<BodyDescription<D>> balls, double h) {
  Scene<D> scene = scene_of<D>(h, law, std::move(balls));
  scene.gravity.setZero();
  scene.cell = cell_of<D>(Vec<D>::Ones());
  return scene;
}

// Σ P ⊗ (x_b + A n − x_a) / (h V): the stress that contacts carry in the whole cell.
template <int D>
Mat<D> stress_of(const World<D>& world, const Mat<D>& A) {
  Mat<D> sum = Mat<D>::Zero();
  const Bodies<D>& bodies = world.bodies();
  for (const ActiveContact<D>& active : world.contacts()) {
    const ContactKey& key = active.contact.key;
    const Vec<D> branch = bodies.position[static_cast<std::size_t>(key.b)] + active.contact.offset -
                          bodies.position[static_cast<std::size_t>(key.a)];
    sum += active.frame * active.percussion * branch.transpose();
  }
  return sum / (world.scene().h * A.determinant());
}

}  // namespace

// Lees & Edwards: what a ball meets across the side of a cell that is sheared has the velocity of
// the flow there.
TEST_CASE_TEMPLATE("an image in a sheared cell has the velocity of the flow", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double rate = 0.5, e = 0.6, h = 1e-4;
  const Vec<D> middle = Vec<D>::Constant(0.5);
  Vec<D> low = middle, high = middle;
  low[D - 1] = 0.1;
  high[D - 1] = 0.9 + 1e-4;  // 1e-4 more than they touch
  BodyDescription<D> a = ball<D>(0.1, low), b = ball<D>(0.1, high);
  Scene<D> scene = balls_at_rest<D>({.friction = 0, .restitution = e}, {a, b}, h);
  scene.cell->gradient[0][D - 1] = Constant{rate};
  World<D> world(scene);
  compare("it starts with the flow", world.bodies().velocity[1][0], rate * high[D - 1], 1e-15);
  // The image of a over the top starts right above b and moves with the same flow: nothing
  // happens until b is thrown up.
  WorldState<D> state = world.state();
  state.velocity[1] = rate * high[D - 1] * along<D>() + up<D>();
  state.velocity[0] = Vec<D>::Zero();
  world.restore(state);
  Vec<D> v_a = state.velocity[0], v_b = state.velocity[1];
  for (int k = 0; k < 20 && world.bodies().velocity[1] == v_b; ++k) world.step();
  REQUIRE(world.contacts().size() == 1);
  // n from b to the image of a, which moves by `rate` faster than a.
  const ActiveContact<D>& contact = world.contacts()[0];
  const Vec<D> n =
      contact.contact.key.a == 0 ? Vec<D>(-contact.contact.normal) : contact.contact.normal;
  const double u = n.dot(v_a + rate * along<D>() - v_b);
  bound("velocity of a", (world.bodies().velocity[0] - v_a + 0.5 * (1 + e) * u * n).norm(), 1e-12);
  bound("velocity of b", (world.bodies().velocity[1] - v_b - 0.5 * (1 + e) * u * n).norm(), 1e-12);
  CHECK(std::abs(n[0]) > 1e-6);
}

// A flow without collisions is that of the cell, and distances to images follow L.
TEST_CASE_TEMPLATE("a cell follows its velocity gradient", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, T = 0.4;
  Scene<D> scene = balls_at_rest<D>({}, {ball<D>(0.05, Vec<D>::Constant(0.5))}, h);
  scene.cell->gradient[0][D - 1] = Constant{1.5};
  World<D> shear(scene);
  for (int k = 0; k < 400; ++k) shear.step();
  compare("sheared by", shear.bodies().lattice.A(0, D - 1), 1.5 * T, 1e-12);
  compare("the flow carries the ball", shear.bodies().position[0][0], 0.5 + 0.75 * T, 1e-12);
  scene.cell->gradient[0][D - 1].reset();
  scene.cell->gradient[0][0] = Constant{-0.5};
  World<D> press(scene);
  for (int k = 0; k < 400; ++k) press.step();
  compare("compressed to", press.bodies().lattice.A(0, 0), std::exp(-0.5 * T), 1e-13);
}

TEST_CASE_TEMPLATE("a sheared gas keeps its momentum, its ledger and its bits", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = gas<D>({.friction = 0.4, .restitution = 0.8}, D == 2 ? 8 : 5, 0.05, 7, 5e-4);
  scene.cell->gradient[0][D - 1] = Constant{2.0};
  World<D> world(scene), two(scene), resumed(scene);
  world.use_threads(1);
  two.use_threads(2);
  const Vec<D> before = momentum<D>(world.bodies());
  double scale = momentum_scale<D>(world.bodies()), cell_work = 0, work = 0;
  const double start = world.kinetic_energy();
  for (int k = 0; k < 800; ++k) {
    const Certificate step = world.step();
    two.step();
    if (k == 399) resumed.restore(world.state());
    if (k >= 400) resumed.step();
    scale = maximum(scale, momentum_scale<D>(world.bodies()));
    CHECK(std::abs(step.defect) <= 1e-12 * step.turnover);
    CHECK(step.converged);
    cell_work += step.cell_work;
    work += step.contact_work + step.cell_work + step.correction_work;
  }
  CHECK(std::abs(cell_work) > 1e-3 * start);
  compare("energy", world.kinetic_energy(), start + work, 1e-10 * start);
  bound("momentum", (momentum<D>(world.bodies()) - before).norm() / scale, 1e-12);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    CHECK(world.bodies().position[i] == two.bodies().position[i]);
    CHECK(world.bodies().position[i] == resumed.bodies().position[i]);
  }
}

// M L̇ = −V σ with M = m s²/12, until something touches. By hand: Euler's rule for L, and the volume
// at q_m.
TEST_CASE_TEMPLATE("an empty cell collapses under its stress", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr double h = 1e-3, sigma = 3;
  Scene<D> scene = balls_at_rest<D>({}, {ball<D>(0.05, Vec<D>::Constant(0.5))}, h);
  scene.cell->stress[0][0] = Constant{sigma};
  scene.cell->mass = 24;
  World<D> world(scene);
  double side = 1, L = 0;
  for (int k = 0; k < 300; ++k) {
    world.step();
    side *= std::exp(0.5 * h * L);
    L -= h * side * sigma / 2;  // M = 24/12
    side *= std::exp(0.5 * h * L);
  }
  CHECK(side < 0.95);
  compare("side", world.bodies().lattice.A(0, 0), side, 1e-13);
  compare("other sides", world.bodies().lattice.A(1, 1), 1, 0);
}

TEST_CASE_TEMPLATE("a ring of balls carries the stress on its cell", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int n = 8;
  constexpr double sigma = 1e4;
  for (const double gap : {0.0, 1e-3}) {
    std::vector<BodyDescription<D>> balls;
    for (int i = 0; i < n; ++i) {
      Vec<D> centre = Vec<D>::Constant(0.5);
      centre[0] = (i + 0.25) / n;
      balls.push_back(ball<D>(0.5 / n - gap, centre));
    }
    Scene<D> scene = balls_at_rest<D>({.friction = 0.5}, balls, 1e-4);
    scene.cell->stress[0][0] = Constant{sigma};
    World<D> world(scene);
    for (int k = 0; k < 2000; ++k) world.step();
    const Lattice<D>& lattice = world.bodies().lattice;
    bound("at rest", std::abs(lattice.L(0, 0)), 1e-8);
    compare("side", lattice.A(0, 0), 1 - 2 * n * gap, 1e-5);
    REQUIRE(world.contacts().size() == n);
    for (const ActiveContact<D>& contact : world.contacts())
      compare("force", contact.percussion[0] / scene.h, sigma, 1e-8 * sigma);  // side 1 across
  }
}

// Disks and balls that jam under a stress, first solved coarsely.
TEST_CASE_TEMPLATE("a packing at rest has the stress that is imposed", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  Scene<D> scene = gas<D>({.friction = 0.3}, D == 2 ? 6 : 3, D == 2 ? 0.065 : 0.13, 9, 1e-3);
  for (BodyDescription<D>& body : scene.bodies) body.velocity *= 0.1;
  for (std::size_t k = 0; k < D; ++k)
    scene.cell->stress[k][k] = Constant{D == 2 ? 1e3 : 1e3 * (1.0 + 0.1 * static_cast<double>(k))};
  scene.solver = {.tolerance = 1e-4, .max_sweeps = 1000};
  World<D> coarse(scene);
  for (int k = 0; k < 1000; ++k) {
    const Certificate step = coarse.step();
    CHECK(std::abs(step.defect) <= 1e-10 * step.turnover);
  }
  scene.solver = {.tolerance = 1e-10, .max_sweeps = 5000};
  World<D> world(scene);
  world.restore(coarse.state());
  for (int k = 0; k < 300; ++k) world.step();
  const Mat<D> stress = stress_of<D>(world, world.bodies().lattice.A);
  bound("at rest", world.bodies().lattice.L.norm(), 1e-8);
  for (int k = 0; k < D; ++k)
    compare("normal stress", stress(k, k), D == 2 ? 1e3 : 1e3 * (1 + 0.1 * k), 1e-8 * 1e3);
}
