// SPDX-License-Identifier: Apache-2.0
// A mortared wall under a push, and the same wall laid dry: scenes/mortar.toml.
#include "tests/physics/bundled_scene.hpp"
#include "tests/physics/support.hpp"

using namespace talus;
using namespace talus::physics;

namespace {

constexpr double push_rate = 80e3;  // [N/s]

// Time at which the first bond has lost a thousandth of its fracture energy, or the end.
double first_crack(World<2>& world) {
  double first = world.scene().end;
  talus::run<2>(world, [&] {
    for (const Bond<2>& bond : world.bonds())
      if (bond.damage > 1e-3) first = std::min(first, world.time());
  });
  return first;
}

}  // namespace

TEST_CASE("mortar: the wall stands where the dry one loses its top course") {
  const std::vector<std::string> half_way = {"time.end=0.5"};
  World<2> mortared = open<2>("mortar", half_way);
  const Displacement<2> of_mortared(mortared);
  CHECK(first_crack(mortared) == mortared.scene().end);
  CHECK(of_mortared.largest(mortared) < 1e-6);

  World<2> dry = open<2>(
      "mortar", {"time.end=0.3", "material.stone.bond.tension=0",
                 "material.stone.bond.cohesion=1e-6", "material.stone.bond.fracture_energy=1e-9"});
  const Displacement<2> of_dry(dry);
  talus::run<2>(dry);
  CHECK(of_dry.of(dry, body(dry, "wall.4.0")) > 0.05);
}

// As one body about its foot: W L/2 + σ_t L²/2 = F H.
TEST_CASE("mortar: the lowest joint tears at the load of limit analysis") {
  constexpr double L = 1.5, weight = 2000 * L * 1.25 * g, tension = 5e4, H = 4.5 * 0.25;
  const double limit = (weight * L / 2 + tension * L * L / 2) / H;
  World<2> world = open<2>("mortar", {"time.end=0.96"});
  const double first = first_crack(world);
  compare("push at the first crack [N]", push_rate * first, limit, 0.01 * limit);
}
