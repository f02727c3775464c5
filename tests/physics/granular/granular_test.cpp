// SPDX-License-Identifier: Apache-2.0
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

template <int D>
double ball_radius(const World<D>& world, std::size_t i) {
  return std::get<Ball<D>>(world.scene().bodies[i].shapes.front()).radius;
}

// Volume of a ball below a height.
double volume_below(double centre, double radius, double height) {
  const double cap = std::clamp(height - (centre - radius), 0.0, 2 * radius);
  return M_PI * cap * cap * (radius - cap / 3);
}

// The number under a name in the last row of a scene's only measure.
template <int D>
double measured(const World<D>& world, const std::string& column) {
  const auto columns = measure_columns<D>(world.scene().measures.at(0));
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const MeasureColumn& c) { return c.name == column; });
  REQUIRE_MESSAGE(found != columns.end(), column);
  return world.measures().row(0)[static_cast<std::size_t>(found - columns.begin())];
}

}  // namespace

// Sweeps and the short ladder of a run leave three steps of these unsolved.
TEST_CASE("column: every step of a case of the friction study is solved") {
  World<2> world = open<2>("column", {"material.grain.friction=0.6", "column.0.seed=2"});
  int missed = 0;
  for (int k = 0; k < 700; ++k) missed += !world.step().converged;
  CHECK(missed == 0);
}

TEST_CASE("settle: grains come to rest at the density of a random packing") {
  World<3> world = open<3>("settle");
  double speed = 0;
  const double penetration = run(world, [&] { speed = std::max(speed, fastest_grain(world)); });
  // One grain may push another, which gets half its speed, into a third that was out of its reach.
  CHECK(penetration < 0.5 * speed * world.scene().h);
  // At rest, but for a grain or two that roll to and fro in a hollow, where nothing brakes them.
  int moving = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    moving += is_grain(world, i) && world.bodies().velocity[i].norm() > 1e-3;
  CHECK(moving <= 2);
  CHECK(fastest_grain(world) < 0.02);
  double at_rest = 0;
  for (int k = 0; k < 50; ++k) at_rest = std::max(at_rest, world.step().max_penetration);
  CHECK(at_rest < 1e-4 * 0.004);

  const double fraction = measured(world, "solid_fraction");
  CHECK(fraction > 0.5);
  CHECK(fraction < 0.65);
  CHECK(measured(world, "coordination") > 4);
  CHECK(measured(world, "coordination") < 6);

  // The same by hand: between the two heights the region has.
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
  // Through a horizontal plane goes the weight of what is above it, less what the walls carry of
  // that; in the mean over the heights of the region.
  std::vector<double> load(world.bodies().size());  // on the grains below
  for (std::size_t i = 0; i < load.size(); ++i) load[i] = world.bodies().mass[i] * 9.81;
  for (const ActiveContact<3>& active : world.contacts()) {
    const Vec<3> on_b = active.frame * active.percussion / world.scene().h;
    const auto a = static_cast<std::size_t>(active.contact.key.a),
               b = static_cast<std::size_t>(active.contact.key.b);
    if (!is_grain(world, a)) load[b] -= on_b[2];
    if (!is_grain(world, b)) load[a] += on_b[2];
  }
  double force = 0;
  for (std::size_t i = 0; i < load.size(); ++i)
    if (is_grain(world, i))
      force += load[i] * std::clamp((world.bodies().position[i][2] - low) / (high - low), 0.0, 1.0);
  CHECK(measured(world, "stress_zz") == doctest::Approx(force / (side * side)).epsilon(0.01));

  // Balls that have sunk into a wall stick out of the region, but not out of the slab.
  CHECK(fraction == doctest::Approx(solid / (side * side * (high - low))).epsilon(1e-4));
}

TEST_CASE("settle_soft: contacts that yield come to rest in few sweeps, hardly deeper") {
  World<3> world = open<3>("settle_soft");
  std::vector<int> sweeps;
  Certificate last;
  while (world.time() < world.scene().end - 0.5 * world.scene().h) {
    last = world.step();
    CHECK(last.converged);
    sweeps.push_back(last.sweeps);
  }
  std::nth_element(sweeps.begin(), sweeps.begin() + 750, sweeps.end());
  CHECK(sweeps[750] <= 20);
  CHECK(fastest_grain(world) <
        0.5 * 9.81 * world.scene().h);  // half of what a step of free fall gives
  CHECK(last.mean_penetration < 1e-3 * 0.005);
  CHECK(last.mean_penetration > 1e-4 * 0.005);  // they yield
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!is_grain(world, i)) continue;
    CHECK(world.bodies().position[i].head<2>().cwiseAbs().maxCoeff() <= 0.05);
    CHECK(world.bodies().position[i][2] > 0);
  }
  CHECK(measured(world, "solid_fraction") > 0.5);
  CHECK(measured(world, "solid_fraction") < 0.65);

  // Every force is that of its spring, squeezed by the penetration at the end of the step.
  const double k = 2e4, h = world.scene().h;
  for (const ActiveContact<3>& active : world.contacts()) {
    const double squeezed = -(active.contact.gap + h * active.u_plus[0]);
    CHECK(std::abs(active.percussion[0] / h - k * std::max(squeezed, 0.0)) <= 0.02);  // [N]
  }
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
    if (world.steps() % 10 == 0) CHECK(measured(world, "grains") == static_cast<double>(left));
  });
  REQUIRE(left_at.size() > 200);
  // Two equal portions after the first have settled to a flow.
  const double first = left_at[120] - left_at[60], second = left_at[180] - left_at[120];
  CHECK(second / first == doctest::Approx(1).epsilon(0.25));
}

TEST_CASE("column_collapse: the column spreads by a few widths and lies still") {
  World<2> world = open<2>("column_collapse");
  const double width = 0.12, end_of_column = -1 + width;
  const auto top_and_beyond = [&] {
    double top = 0;
    std::vector<double> beyond;  // where the column ended
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      if (!is_grain(world, i)) continue;
      const Vec<2>& x = world.bodies().position[i];
      CHECK(x[0] > -1);
      CHECK(x[1] > 0);
      top = std::max(top, x[1] + ball_radius(world, i));
      beyond.push_back((x[0] + ball_radius(world, i) - end_of_column) / width);
    }
    std::sort(beyond.begin(), beyond.end());
    return std::pair(top, beyond[beyond.size() * 99 / 100]);
  };
  const auto [top_before, beyond_before] = top_and_beyond();
  CHECK(top_before / width > 2.5);
  CHECK(beyond_before <= 0);  // the column is where it was asked to be
  const double energy = world.potential_energy();
  const double penetration = run(world);
  const auto [top, beyond] = top_and_beyond();
  CHECK(penetration < 0.1 * 0.004);
  CHECK(beyond > 2);
  CHECK(beyond < 5);
  CHECK(top / top_before > 0.3);
  CHECK(top / top_before < 0.6);
  // A few disks may still roll down the surface, which no friction of theirs forbids.
  std::vector<double> speed;
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    if (is_grain(world, i)) speed.push_back(world.bodies().velocity[i].norm());
  std::sort(speed.begin(), speed.end());
  CHECK(speed[speed.size() * 95 / 100] < 0.01);  // [m/s]; it fell at more than 1 m/s
  CHECK(world.kinetic_energy() < 1e-3 * (energy - world.potential_energy()));
}

TEST_CASE("column_collapse3d: the run-out is the one that was measured") {
  World<3> world = open<3>("column_collapse3d");
  const double radius = 0.06, energy = world.potential_energy();
  run(world);
  double edge = 0;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    if (!is_grain(world, i)) continue;
    const Vec<3>& x = world.bodies().position[i];
    CHECK(x[2] > -0.005);
    edge = std::max(edge, std::hypot(x[0], x[1]) + ball_radius(world, i));
  }
  CHECK((edge - radius) / radius == doctest::Approx(1.24).epsilon(0.2));
  CHECK(world.kinetic_energy() < 0.01 * (energy - world.potential_energy()));
}

TEST_CASE("drum: the bed leans to the side that goes up and keeps its slope") {
  World<2> world = open<2>("drum");
  double least = 90, most = 0;
  run(world, [&] {
    // The bed's surface is normal to the line from the axis to the mass centre.
    Vec<2> centre = Vec<2>::Zero();
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      centre += world.bodies().mass[i] * world.bodies().position[i];
      if (is_grain(world, i) && world.bodies().position[i].norm() > 0.121)
        FAIL_CHECK("grain ", i, " has left the drum");
    }
    const double slope = std::atan2(centre[0], -centre[1]) * 180 / M_PI;
    if (world.time() < 0.5) return;
    least = std::min(least, slope);
    most = std::max(most, slope);
  });
  CHECK(least > 20);
  CHECK(most < 45);
}
