// SPDX-License-Identifier: Apache-2.0
// column_quake.toml: a column on ground that moves by an acceleration record.
#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

struct Outcome {
  double peak = 0;      // acceleration of the ground [m/s²]
  double worst = 0;     // motion of a drum against the ground [m]
  double returned = 0;  // of the ground, at the end [m]
};

Outcome shake(double scale) {
  World<2> world =
      open<2>("column_quake", {"body.ground.drive.0.acceleration.scale=" + std::to_string(scale)});
  const Table& velocity = std::get<Table>(world.scene().bodies[0].drives[0].signal);
  Outcome outcome;
  for (std::size_t k = 1; k < velocity.time.size(); ++k)
    outcome.peak = std::max(outcome.peak, std::abs(velocity.value[k] - velocity.value[k - 1]) /
                                              (velocity.time[k] - velocity.time[k - 1]));
  const Displacement<2> displacement(world);
  const std::size_t ground = body(world, "ground");
  run(world, [&] {
    const Bodies<2>& bodies = world.bodies();
    const Vec<2> base = bodies.position[ground] - displacement.start[ground];
    for (std::size_t i = 0; i < bodies.size(); ++i)
      outcome.worst =
          std::max(outcome.worst, (bodies.position[i] - displacement.start[i] - base).norm());
  });
  outcome.returned = displacement.of(world, ground);
  return outcome;
}

}  // namespace

// A stack of width w and height H stays closed at every joint while the ground is accelerated by
// less than g w/H: the column above any joint is less slender than the whole one.
TEST_CASE("column_quake: the column follows the ground up to g w/H, and rocks above") {
  const double limit = 9.81 * 0.5 / 2;
  const double peak = shake(1).peak;
  CHECK(peak == doctest::Approx(1).epsilon(0.1));  // of the record, but for its baseline
  const Outcome follows = shake(0.95 * limit / peak), rocks = shake(1.3 * limit / peak);
  CHECK(follows.peak == doctest::Approx(0.95 * limit));
  CHECK(follows.worst <= 1e-5);
  CHECK(follows.returned <= 1e-6);
  CHECK(rocks.worst > 1e-3);
}
