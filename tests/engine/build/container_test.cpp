// SPDX-License-Identifier: Apache-2.0
// Walls of containers close: what is inside stays there, seen from any direction.
#include "engine/build/container.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/build/random.hpp"

using namespace talus;

namespace {

template <int D>
bool is_in(const Shape<D>& shape, const Vec<D>& x) {
  if (const auto* half_space = std::get_if<HalfSpace<D>>(&shape))
    return half_space->normal.dot(x) <= half_space->offset;
  const auto& polytope = std::get<Polytope<D>>(shape);
  for (std::size_t k = 0; k < polytope.normals.size(); ++k) {
    if (polytope.normals[k].dot(x) > polytope.offsets[k] + 1e-12) return false;
  }
  return true;
}

template <int D>
bool is_in_a_wall(const Container<D>& container, const Vec<D>& x) {
  return std::any_of(container.walls.begin(), container.walls.end(),
                     [&](const auto& wall) { return is_in<D>(wall.shapes.front(), x); });
}

template <int D>
const BodyDescription<D>* find_wall(const Container<D>& container, const std::string& name) {
  const auto found = std::find_if(container.walls.begin(), container.walls.end(),
                                  [&](const auto& wall) { return wall.name == name; });
  return found == container.walls.end() ? nullptr : &*found;
}

// How many of many rays from a point inside get out: to where the region ends without meeting a
// wall just behind. `is_way_out` says where that is meant.
template <int D, class F>
int leaks(const Container<D>& container, const Vec<D>& from, double behind, F is_way_out) {
  Random random(1);
  int count = 0;
  for (int k = 0; k < 20000; ++k) {
    Vec<D> d;
    for (int axis = 0; axis < D; ++axis) d[axis] = random.normal();
    d.normalize();
    double way = 1e300;
    for (const auto& wall : container.inside.walls) {
      const double closing = wall.n.dot(d);
      if (closing > 1e-9) way = std::min(way, (wall.d - wall.n.dot(from)) / closing);
    }
    const Vec<D> exit = from + way * d;
    // No wall stands inside.
    if (is_in_a_wall<D>(container, from + (1 - 1e-6) * way * d)) ++count;
    if (is_way_out(exit) == is_in_a_wall<D>(container, Vec<D>(exit + behind * d))) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a box is open where it is asked to be and nowhere else") {
  for (const double thickness : {0.0, 0.1}) {
    CAPTURE(thickness);
    const std::vector<std::string> top = {"top"}, sides = {"left", "top"};
    const auto solid = box_container<3>({1, 2, 3}, top, thickness);
    CHECK(solid.walls.size() == 5);
    CHECK(leaks<3>(solid, Vec<3>(0.1, -0.2, 1), 1e-6,
                   [](const Vec<3>& x) { return x[2] > 3 - 1e-9; }) == 0);
    const auto flat = box_container<2>({1, 2}, sides, thickness);
    CHECK(flat.walls.size() == 2);
    CHECK(leaks<2>(flat, Vec<2>(0.1, 0.5), 1e-6,
                   [](const Vec<2>& x) { return x[1] > 2 - 1e-9 || x[0] < -0.5 + 1e-9; }) == 0);
  }
  CHECK(box_container<3>({1, 2, 3}, {}, 0).walls.size() == 6);
}

TEST_CASE("a cylinder of n sides goes around the circle") {
  for (const double thickness : {0.0, 0.05}) {
    const std::vector<std::string> top = {"top"};
    const auto cylinder = cylinder_container(0.5, 2, 12, top, thickness);
    CHECK(cylinder.walls.size() == 13);
    CHECK(leaks<3>(cylinder, Vec<3>(0.1, 0.1, 0.5), 1e-6,
                   [](const Vec<3>& x) { return x[2] > 2 - 1e-9; }) == 0);
    // The circle touches every side and crosses none.
    CHECK(cylinder.inside.holds({0, 0, 1}, 0.5));
    CHECK_FALSE(cylinder.inside.holds({0, 0, 1}, 0.5001));
  }
}

TEST_CASE("a hopper is open below and above, with the slope it was given") {
  HopperPlan plan{
      .opening = 0.2, .width = 1, .slope = M_PI / 3, .height = 2, .sides = 2, .thickness = 0.1};
  CHECK(slope_height(plan) == doctest::Approx(0.4 * std::sqrt(3.0)));
  const auto is_way_out = [](const auto& x) {
    return x[x.size() - 1] < 1e-9 || x[x.size() - 1] > 2 - 1e-9;
  };
  const auto flat = hopper_container<2>(plan);
  CHECK(flat.walls.size() == 4);
  CHECK(leaks<2>(flat, Vec<2>(0.05, 0.5), 1e-6, is_way_out) == 0);
  plan.sides = 8;
  const auto solid = hopper_container<3>(plan);
  CHECK(solid.walls.size() == 16);
  CHECK(leaks<3>(solid, Vec<3>(0.05, 0, 0.5), 1e-6, is_way_out) == 0);
  // A ball as wide as the opening just passes.
  CHECK(flat.inside.reach(Vec<2>(0, -1)) == doctest::Approx(0));
  CHECK(solid.inside.holds({0, 0, 0.3}, 0.1));
}

TEST_CASE("slopes of a hopper are as thick as its walls, however flat they are") {
  for (const double slope : {0.005, 0.5, 1.5}) {
    CAPTURE(slope);
    const auto hopper = hopper_container<2>(
        {.opening = 0.2, .width = 1, .slope = slope, .height = 10, .sides = 2, .thickness = 0.1});
    const auto thickness = [&](const char* name, const Vec<2>& normal) {
      double low = INFINITY, high = -INFINITY;
      for (const Vec<2>& x :
           std::get<Polytope<2>>(find_wall(hopper, name)->shapes.front()).vertices) {
        low = std::min(low, normal.dot(x));
        high = std::max(high, normal.dot(x));
      }
      return high - low;
    };
    CHECK(thickness("slope.1", {std::sin(slope), -std::cos(slope)}) == doctest::Approx(0.1));
    CHECK(thickness("wall.1", {1, 0}) == doctest::Approx(0.1));
  }
}

TEST_CASE("a drum is closed all around and touches the circle it was given") {
  const auto flat = drum_container<2>(0.5, 0, 16, 0.05);
  CHECK(leaks<2>(flat, Vec<2>(0.1, 0.2), 1e-6, [](const auto&) { return false; }) == 0);
  CHECK(flat.inside.holds({0, 0}, 0.5 - 1e-12));
  CHECK_FALSE(flat.inside.holds({0, 0}, 0.5001));
  const auto solid = drum_container<3>(0.5, 0.8, 16, 0.05);
  CHECK(leaks<3>(solid, Vec<3>(0.1, 0.2, -0.1), 1e-6, [](const auto&) { return false; }) == 0);
  // Its axis is y.
  CHECK(solid.inside.reach(Vec<3>::UnitY()) == doctest::Approx(0.4));
  CHECK(solid.inside.holds({0, 0, 0}, 0.4 - 1e-12));
  CHECK(find_wall(solid, "front") != nullptr);
  CHECK(find_wall(solid, "side.15") != nullptr);
}

TEST_CASE("any convex container is closed but for the faces left out") {
  const auto hull = convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  CHECK(hull_container<3>(*hull, {}).walls.size() == 4);
  const std::vector<Vec<3>> open = {Vec<3>(0, 0, -1)};
  const auto container = hull_container<3>(*hull, open);
  CHECK(container.walls.size() == 3);
  CHECK(leaks<3>(container, Vec<3>(0.2, 0.2, 0.2), 1e-6,
                 [](const Vec<3>& x) { return x[2] < 1e-9; }) == 0);
}
