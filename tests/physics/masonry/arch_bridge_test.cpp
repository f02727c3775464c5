// SPDX-License-Identifier: Apache-2.0
// arch_bridge.toml: the mass of a wheel that an arch carries, by limit analysis and by runs.
#include "engine/outlook/limit_state.hpp"
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

// The least mass at which the wheel is too heavy somewhere on its way. A wheel that rolls freely
// and is held from the side presses along the normal, and the upright part of that is its weight.
double limit_mass() {
  World<2> whole = open<2>("arch_bridge");
  Scene<2> scene = whole.scene();
  scene.joints.clear();
  scene.bodies[body(whole, "wheel")].fixed = true;
  const World<2> world(scene);
  const Bodies<2>& bodies = world.bodies();
  const LimitAnalysis<2> analysis(world.scene(), bodies, 0);
  double least = 1e300;
  for (double x = -2; x <= 2; x += 0.05) {
    const double sine = x / 3.5, cosine = std::sqrt(1 - sine * sine);  // of the wheel's centre
    const Vec<2> point = 3.3 * Vec<2>(sine, cosine), outwards(sine, cosine);
    std::size_t under = 0;
    double nearest = 1e300;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!bodies.moves_freely(i)) continue;
      const double distance = (bodies.position[i] - point).norm();
      if (distance < nearest) {
        nearest = distance;
        under = i;
      }
    }
    std::vector<BodyLoad<2>> load(bodies.size());
    load[under].force = -9.81 / cosine * outwards;
    load[under].torque = moment<2>(Vec<2>(point - bodies.position[under]), load[under].force);
    const LimitState<2> state = analysis.largest(load);
    if (state.verdict == ConeVerdict::unbounded) continue;  // straight into the springing
    REQUIRE(state.verdict == ConeVerdict::solved);
    least = std::min(least, state.multiplier);
  }
  return least;
}

// How far the crown is moved by a wheel of this mass [m].
double crown_moves(double mass) {
  World<2> world = open<2>("arch_bridge", {"body.wheel.mass=" + std::to_string(mass),
                                           "body.wheel.inertia=" + std::to_string(mass / 50)});
  const Displacement<2> displacement(world);
  const std::size_t crown = body(world, "arch.10");
  double worst = 0;
  for (double t = 0; t < world.scene().end && worst < 0.2; t += world.scene().h) {
    world.step();
    worst = std::max(worst, displacement.of(world, crown));
  }
  return worst;
}

}  // namespace

TEST_CASE("arch_bridge: the arch carries a wheel across that limit analysis allows, and no other") {
  const double mass = limit_mass();
  CHECK(mass == doctest::Approx(2404).epsilon(1e-3));  // as the scene says
  CHECK(crown_moves(0.9 * mass) < 1e-2);
  CHECK(crown_moves(1.1 * mass) > 0.1);
}
