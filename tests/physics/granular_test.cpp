// The granular scenes of scenes/ do what their `expect` lines say.
#include <doctest/doctest.h>

#include "tests/physics/bundled_scene.hpp"

using namespace talus;

namespace {

template <int D>
bool is_grain(const World<D>& world, std::size_t i) {
  return world.bodies().inverse_mass[i] > 0;
}

template <int D>
double fastest_grain(const World<D>& world) {
  double v = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    if (is_grain(world, i)) v = std::max(v, world.bodies().velocity[i].norm());
  return v;
}

double ball_radius(const World<3>& world, std::size_t i) {
  return std::get<Ball<3>>(world.scene().bodies[i].shapes.front()).radius;
}

// Volume of a ball below a height.
double volume_below(double centre, double radius, double height) {
  const double cap = std::clamp(height - (centre - radius), 0.0, 2 * radius);
  return M_PI * cap * cap * (radius - cap / 3);
}

}  // namespace

TEST_CASE("settle: grains come to rest at the density of a random packing") {
  World<3> world = open<3>("settle");
  const double penetration = run(world);
  CHECK(penetration < 0.05 * 0.004);
  CHECK(fastest_grain(world) < 1e-3);

  // Between two heights inside, where the floor and the top are not felt.
  const double low = 0.02, high = 0.05, side = 0.05;
  double solid = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!is_grain(world, i)) continue;
    const Vec<3>& x = world.bodies().position[i];
    const double r = ball_radius(world, i);
    CHECK(std::abs(x[0]) <= side / 2);
    CHECK(std::abs(x[1]) <= side / 2);
    solid += volume_below(x[2], r, high) - volume_below(x[2], r, low);
  }
  const double fraction = solid / (side * side * (high - low));
  CHECK(fraction > 0.5);
  CHECK(fraction < 0.65);
}

TEST_CASE("rockpile: angular rocks lie still in a heap") {
  World<3> world = open<3>("rockpile");
  run(world);
  CHECK(fastest_grain(world) < 0.02);
  double top = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!is_grain(world, i)) continue;
    CHECK(world.bodies().position[i][2] > 0);
    top = std::max(top, world.bodies().position[i][2]);
  }
  CHECK(top > 0.25);
}

TEST_CASE("hopper: disks run out at a rate that does not depend on the filling") {
  World<2> world = open<2>("hopper");
  std::vector<double> left_at;  // when the k-th disk left
  run(world, [&] {
    std::size_t left = 0;
    for (std::size_t i = 0; i < world.bodies().size(); ++i)
      left += is_grain(world, i) && world.bodies().position[i][1] < 0;
    while (left_at.size() < left) left_at.push_back(world.time());
  });
  REQUIRE(left_at.size() > 200);
  // Two equal portions after the first have settled to a flow.
  const double first = left_at[120] - left_at[60], second = left_at[180] - left_at[120];
  CHECK(second / first == doctest::Approx(1).epsilon(0.25));
}
