// SPDX-License-Identifier: Apache-2.0
#include "engine/build/generate.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double course = 0.049, width = 0.124;

// Moreau's wall: 105 blocks in ten courses on two plates, of which the left one (body 0) sinks.
Scene<2> sinking_wall(double depth, double speed, double mu, double h) {
  const double length = 10 * width;
  BodyDescription<2> left = block<2>({length, course}, {-length / 2, -course / 2});
  BodyDescription<2> right = block<2>({length, course}, {length / 2, -course / 2});
  left.material = right.material = 0;
  left.drives = {
      drive_along<2>(Drive<2>::Kind::position, -up<2>(), Table{{0, depth / speed}, {0, depth}})};
  right.fixed = true;
  std::vector<BodyDescription<2>> bodies = {left, right};
  WallPlan<2> plan;
  plan.block = {width, course};
  plan.courses = 10;
  plan.blocks = 10;
  for (BodyDescription<2>& body : generate<2>(plan)) {
    body.material = 1;
    bodies.push_back(body);
  }
  Scene<2> scene = scene_of<2>(h, {.friction = mu}, bodies);
  for (Material& material : scene.materials) material.density = 2000;
  scene.solver = {.tolerance = 1e-4, .max_sweeps = 5000};
  return scene;
}

// What C03 asks of every step of the wall.
struct WallAudit {
  double scale;  // total potential energy [J]
  double worst_defect = 0, worst_penetration = 0;
  int unconverged = 0;

  explicit WallAudit(const World<2>& world) : scale(0) {
    for (std::size_t i = 0; i < world.bodies().size(); ++i)
      scale += world.bodies().mass[i] * g * world.bodies().position[i][1];
  }
  void add(const Certificate& step) {
    worst_defect = std::max(worst_defect, std::abs(step.defect) / step.turnover);
    worst_penetration = std::max(worst_penetration, step.max_penetration);
    if (!step.converged) ++unconverged;
  }
};

bool same_bits(const World<2>& a, const World<2>& b) {
  const Bodies<2>&x = a.bodies(), &y = b.bodies();
  bool same = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    same = same && x.position[i] == y.position[i] && x.velocity[i] == y.velocity[i] &&
           x.orientation[i].angle == y.orientation[i].angle && x.spin[i] == y.spin[i];
  return same;
}

// Heights of the blocks of the highest course [m].
std::vector<double> crest(const World<2>& world) {
  std::vector<double> heights;
  for (std::size_t i = world.bodies().size() - 11; i < world.bodies().size(); ++i)
    heights.push_back(world.bodies().position[i][1]);
  return heights;
}

// The settlement in full takes minutes with the plain solver; a tenth of it says the same in every
// run of the tests.
bool in_full() { return std::getenv("TALUS_LONG") != nullptr; }

}  // namespace

TEST_CASE("a wall over a sinking foundation keeps its ledger and does not sink into itself") {
  const double depth = in_full() ? 0.06 : 0.006, h = 1e-3;
  const Scene<2> scene = sinking_wall(depth, 0.01, 0.5, h);
  REQUIRE(scene.bodies.size() == 107);
  World<2> world(scene);
  WallAudit audit(world);
  const int steps = static_cast<int>(std::lround(depth / 0.01 / h));
  WorldState<2> middle;
  for (int k = 0; k < steps; ++k) {
    if (k == steps / 2) middle = world.state();
    audit.add(world.step());
  }
  bound("C03 ledger, defect over energy turned over", audit.worst_defect, 1e-10);
  bound("C03 worst penetration over block height", audit.worst_penetration / course, 0.01);
  CHECK(audit.unconverged == 0);
  CHECK(world.bodies().position[0][1] == doctest::Approx(-course / 2 - depth));

  // Stopped at mid-settlement and taken up again.
  World<2> again(scene);
  again.restore(middle);
  for (int k = steps / 2; k < steps; ++k) again.step();
  CHECK(same_bits(world, again));

  // The left half has followed, the right half has not.
  const std::vector<double> heights = crest(world);
  CHECK(heights.front() < heights.back() - 0.8 * depth);
  CHECK(std::abs(heights.back() - 9.5 * course) < 0.2 * depth);
}

TEST_CASE("a wall gives the same bits on any number of threads") {
  const Scene<2> scene = sinking_wall(0.06, 0.01, 0.5, 1e-3);
  const int steps = in_full() ? 6000 : 150;
  World<2> one(scene);
  for (int k = 0; k < steps; ++k) one.step();
  for (const int count : {2, 4, 8}) {
    set_threads(count);
    World<2> many(scene);
    for (int k = 0; k < steps; ++k) many.step();
    set_threads(1);
    CHECK(same_bits(one, many));
  }
}

TEST_CASE("the crest of a settled wall hardly depends on the step") {
  const double depth = in_full() ? 0.06 : 0.006;
  std::vector<std::vector<double>> profile;
  for (const double h : {1e-3, 5e-4}) {
    World<2> world(sinking_wall(depth, 0.01, 0.5, h));
    const int steps = static_cast<int>(std::lround(depth / 0.01 / h));
    for (int k = 0; k < steps; ++k) world.step();
    profile.push_back(crest(world));
  }
  double worst = 0;
  for (std::size_t i = 0; i < profile[0].size(); ++i)
    worst = std::max(worst, std::abs(profile[0][i] - profile[1][i]));
  bound("C03 crest, h − h/2 [m]", worst, 2e-3);
}
