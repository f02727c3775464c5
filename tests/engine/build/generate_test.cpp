// SPDX-License-Identifier: Apache-2.0
// Arrangements close where they should, never overlap, and have the sizes their plans say.
#include "engine/build/generate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace talus;

namespace {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

template <int D>
using Bodies = std::vector<BodyDescription<D>>;

template <int D>
const Polytope<D>& polytope(const BodyDescription<D>& body) {
  return std::get<Polytope<D>>(body.shapes.at(0));
}

template <int D>
std::vector<Vec<D>> corners(const BodyDescription<D>& body) {
  const Mat<D> R = rotation_matrix<D>(body.orientation);
  std::vector<Vec<D>> list;
  for (const Vec<D>& x : polytope<D>(body).vertices) list.push_back(body.position + R * x);
  return list;
}

template <int D>
double extent(const std::vector<Vec<D>>& points, const Vec<D>& direction, bool largest) {
  double value =
      largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  for (const Vec<D>& x : points) {
    value = largest ? std::max(value, direction.dot(x)) : std::min(value, direction.dot(x));
  }
  return value;
}

// Separating axes: the largest gap seen along a face normal of either body or, in space, along a
// product of edges. Negative when they overlap.
template <int D>
double gap(const BodyDescription<D>& a, const BodyDescription<D>& b) {
  if (const auto* ball = std::get_if<Ball<D>>(&a.shapes.at(0))) {
    return (a.position - b.position).norm() - ball->radius -
           std::get<Ball<D>>(b.shapes.at(0)).radius;
  }
  std::vector<Vec<D>> axes;
  std::vector<Vec<D>> edges[2];
  const BodyDescription<D>* both[] = {&a, &b};
  for (int side = 0; side < 2; ++side) {
    const Mat<D> R = rotation_matrix<D>(both[side]->orientation);
    const Polytope<D>& shape = polytope<D>(*both[side]);
    for (const Vec<D>& n : shape.normals) axes.push_back(R * n);
    for (const auto& [i, j] : shape.edges) {
      edges[side].push_back(R * (shape.vertices[j] - shape.vertices[i]));
    }
  }
  if constexpr (D == 3) {
    for (const Vec<3>& e : edges[0]) {
      for (const Vec<3>& f : edges[1]) {
        const Vec<3> product = e.normalized().cross(f.normalized());
        if (product.norm() > 1e-6) axes.push_back(product.normalized());
      }
    }
  }
  const std::vector<Vec<D>> of_a = corners<D>(a), of_b = corners<D>(b);
  double largest = -std::numeric_limits<double>::infinity();
  for (const Vec<D>& n : axes) {
    largest = std::max({largest, extent<D>(of_b, n, false) - extent<D>(of_a, n, true),
                        extent<D>(of_a, n, false) - extent<D>(of_b, n, true)});
  }
  return largest;
}

template <int D>
double smallest_gap(const Bodies<D>& bodies) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) smallest = std::min(smallest, gap<D>(bodies[i], bodies[j]));
  }
  return smallest;
}

template <int D>
int touching_pairs(const Bodies<D>& bodies, double tolerance) {
  int pairs = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      pairs += std::abs(gap<D>(bodies[i], bodies[j])) <= tolerance;
  }
  return pairs;
}

template <int D>
double total_volume(const Bodies<D>& bodies) {
  double volume = 0;
  for (const auto& body : bodies) volume += mass_properties<D>(body.shapes).volume;
  return volume;
}

template <int D>
std::vector<Vec<D>> all_corners(const Bodies<D>& bodies) {
  std::vector<Vec<D>> all;
  for (const auto& body : bodies) {
    for (const Vec<D>& x : corners<D>(body)) all.push_back(x);
  }
  return all;
}

template <int D>
Vec<D> block(double width, double height, double depth) {
  if constexpr (D == 2) {
    return {width, height};
  } else {
    return {width, height, depth};
  }
}

template <int D>
std::array<int, D> counts(int along_x, int along_y, int up) {
  if constexpr (D == 2) {
    return {along_x, up};
  } else {
    return {along_x, along_y, up};
  }
}

}  // namespace

TEST_CASE_TEMPLATE("Moreau's wall has 105 blocks that fill its outline", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  WallPlan<D> plan;
  plan.block = block<D>(0.124, 0.049, 0.06);
  plan.courses = 10;
  plan.blocks = 10;
  const Bodies<D> bodies = generate<D>(plan);
  CHECK(bodies.size() == 105);
  CHECK(body_count<D>(plan) == 105);

  const double depth = D == 3 ? 0.06 : 1;
  int full = 0, half = 0;
  for (const auto& body : bodies) {
    const double width = mass_properties<D>(body.shapes).volume / (0.049 * depth);
    full += std::abs(width - 0.124) < 1e-12;
    half += std::abs(width - 0.062) < 1e-12;
  }
  CHECK(full == 95);
  CHECK(half == 10);

  const std::vector<Vec<D>> points = all_corners<D>(bodies);
  const Vec<D> x = Vec<D>::UnitX(), up = Vec<D>::Unit(D - 1);
  CHECK(extent<D>(points, x, false) == doctest::Approx(-0.62).epsilon(1e-14));
  CHECK(extent<D>(points, x, true) == doctest::Approx(0.62).epsilon(1e-14));
  CHECK(std::abs(extent<D>(points, up, false)) <= 1e-16);
  CHECK(extent<D>(points, up, true) == doctest::Approx(0.49).epsilon(1e-14));
  // Nothing overlaps and nothing is left open.
  CHECK(smallest_gap<D>(bodies) >= -1e-15);
  CHECK(total_volume<D>(bodies) == doctest::Approx(1.24 * 0.49 * depth).epsilon(1e-13));

  CHECK(bodies.front().name == "wall.0.0");
  CHECK(bodies[10].name == "wall.1.0");
  CHECK(bodies.back().name == "wall.9.10");
  std::set<std::string> names;
  for (const auto& body : bodies) names.insert(body.name);
  CHECK(names.size() == 105);
}

TEST_CASE("open joints are as wide as asked, and the ends of all courses stay flush") {
  WallPlan<2> plan;
  plan.block = {0.2, 0.1};
  plan.courses = 4;
  plan.blocks = 3;
  plan.joint = 0.01;
  const Bodies<2> bodies = generate<2>(plan);
  REQUIRE(bodies.size() == 14);
  CHECK(gap<2>(bodies[0], bodies[1]) == doctest::Approx(0.01));
  CHECK(gap<2>(bodies[3], bodies[4]) == doctest::Approx(0.01));
  CHECK(gap<2>(bodies[5], bodies[6]) == doctest::Approx(0.01));
  CHECK(smallest_gap<2>(bodies) >= -1e-15);
  for (const int first : {0, 3, 7, 10}) {
    CHECK(extent<2>(corners<2>(bodies[first]), Vec<2>::UnitX(), false) == doctest::Approx(-0.31));
  }
  for (const int last : {2, 6, 9, 13}) {
    CHECK(extent<2>(corners<2>(bodies[last]), Vec<2>::UnitX(), true) == doctest::Approx(0.31));
  }
}

TEST_CASE("a chain's balls touch, and the first of them arrive") {
  ChainPlan<3> plan;
  plan.count = 5;
  plan.radius = 0.01;
  plan.direction = Vec<3>(2, -1, 2) / 3;
  plan.masses = {1, 2, 3, 4, 5};
  plan.incoming = 2;
  plan.velocity = {1, 0, 0};
  Bodies<3> bodies = generate<3>(plan);
  REQUIRE(bodies.size() == 5);
  for (int k = 0; k < 5; ++k) {
    CHECK(bodies[k].mass == k + 1);
    CHECK(bodies[k].velocity == (k < 2 ? Vec<3>(1, 0, 0) : Vec<3>(0, 0, 0)));
    if (k > 0) CHECK(std::abs(gap<3>(bodies[k], bodies[k - 1])) <= 1e-16);
  }
  CHECK(bodies[4].position.isApprox(0.08 * plan.direction, 1e-15));

  plan.gap = 1e-3;
  bodies = generate<3>(plan);
  CHECK(gap<3>(bodies[3], bodies[4]) == doctest::Approx(1e-3).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("a grid has one body per point of its lattice", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  GridPlan<D> plan;
  plan.shapes = {Ball<D>{0.5}};
  plan.counts = counts<D>(4, 3, 2);
  plan.spacing = Vec<D>::Constant(1);
  const Bodies<D> bodies = generate<D>(plan);
  REQUIRE(bodies.size() == (D == 2 ? 8 : 24));
  CHECK(body_count<D>(plan) == bodies.size());
  CHECK(bodies.front().position == Vec<D>(Vec<D>::Zero()));
  CHECK(bodies.back().position == (D == 2 ? block<D>(3, 1, 0) : block<D>(3, 2, 1)));
  CHECK(bodies.back().name == (D == 2 ? "grid.3.1" : "grid.3.2.1"));
  CHECK(smallest_gap<D>(bodies) == 0);
  CHECK(touching_pairs<D>(bodies, 0) == (D == 2 ? 10 : 46));
}

TEST_CASE("jitter moves every coordinate by the same bits for the same seed") {
  GridPlan<2> plan;
  plan.shapes = {Ball<2>{0.3}};
  plan.counts = {20, 20};
  plan.spacing = {1, 1};
  plan.jitter = 0.1;
  plan.seed = 7;
  const Bodies<2> bodies = generate<2>(plan);
  // From another implementation of the 64-bit Mersenne Twister, in Python.
  CHECK(bodies[0].position == Vec<2>(0.05087706083057161, 0.08986024057852884));
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec<2> lattice(static_cast<double>(i % 20), static_cast<double>(i / 20));
    largest = std::max(largest, (bodies[i].position - lattice).cwiseAbs().maxCoeff());
  }
  CHECK(largest <= 0.1);
  CHECK(largest > 0.099);
  plan.seed = 8;
  CHECK(generate<2>(plan)[0].position != bodies[0].position);
}

TEST_CASE_TEMPLATE("a harmonic stack overhangs by half the harmonic sum", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const double sums[] = {0.75, 11.0 / 12, 25.0 / 24, 137.0 / 120};  // n = 2 … 5
  for (int n = 2; n <= 5; ++n) {
    StackPlan<D> plan;
    plan.block = block<D>(0.2, 0.05, 0.1);
    plan.count = n;
    plan.overhangs = harmonic_overhangs(n, 0.2, 1);
    const Bodies<D> bodies = generate<D>(plan);
    REQUIRE(bodies.size() == static_cast<std::size_t>(n));
    const std::vector<Vec<D>> points = all_corners<D>(bodies);
    CHECK(extent<D>(points, Vec<D>::UnitX(), true) ==
          doctest::Approx(0.2 * sums[n - 2]).epsilon(1e-14));
    CHECK(extent<D>(points, Vec<D>::Unit(D - 1), true) == doctest::Approx(0.05 * n));
    CHECK(std::abs(extent<D>(points, Vec<D>::Unit(D - 1), false)) <= 1e-16);
    CHECK(touching_pairs<D>(bodies, 1e-16) == n - 1);
    // About to fall: the centre of all blocks above any joint lies over the edge below it.
    double sum = 0;
    for (int k = 1; k <= n; ++k) {
      sum += bodies[n - k].position[0];
      const double edge = k == n ? 0 : bodies[n - k - 1].position[0] + 0.1;
      CHECK(sum / k == doctest::Approx(edge).epsilon(1e-13));
    }
  }
}

TEST_CASE_TEMPLATE("an arch closes joint by joint and stands level", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ArchPlan<D> plan;
  plan.inner_radius = 2;
  plan.thickness = 0.5;
  plan.depth = 0.7;
  plan.count = 11;
  plan.span = M_PI;
  const Bodies<D> bodies = generate<D>(plan);
  REQUIRE(bodies.size() == 11);
  CHECK(touching_pairs<D>(bodies, 1e-14) == 10);
  CHECK(smallest_gap<D>(bodies) >= -1e-14);

  for (const auto& voussoir : bodies) {
    for (Vec<D> x : corners<D>(voussoir)) {
      if (D == 3) x[1] = 0;
      const bool on_a_circle = std::abs(x.norm() - 2) < 1e-14 || std::abs(x.norm() - 2.5) < 1e-14;
      CHECK(on_a_circle);
    }
  }
  // Corners of neighbours coincide: 12 joints of two (four) corners each.
  std::vector<Vec<D>> distinct;
  for (const Vec<D>& x : all_corners<D>(bodies)) {
    const bool known = std::any_of(distinct.begin(), distinct.end(),
                                   [&](const Vec<D>& y) { return (x - y).norm() < 1e-14; });
    if (!known) distinct.push_back(x);
  }
  CHECK(distinct.size() == (D == 2 ? 24 : 48));

  int level = 0;
  for (const Vec<D>& x : distinct) level += std::abs(x[D - 1]) < 1e-15;
  CHECK(level == (D == 2 ? 4 : 8));
  CHECK(bodies[0].position[0] < 0);
  CHECK(bodies[5].position[D - 1] == 2.25);
}

TEST_CASE("a full ring of voussoirs closes on itself") {
  ArchPlan<2> plan;
  plan.inner_radius = 1;
  plan.thickness = 0.2;
  plan.count = 24;
  plan.span = 2 * M_PI;
  CHECK(touching_pairs<2>(generate<2>(plan), 1e-14) == 24);
}

TEST_CASE_TEMPLATE("in a column of equal balls each rests in a hollow", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ColumnPlan<D> plan;
  plan.counts = counts<D>(4, 3, 5);
  plan.min_radius = plan.max_radius = 0.5;
  const Bodies<D> bodies = generate<D>(plan);
  // Layers of 4, 3, 4, 3, 4; in space of 4·3 and 3·2.
  REQUIRE(bodies.size() == (D == 2 ? 18 : 48));
  CHECK(body_count<D>(plan) == bodies.size());
  CHECK(smallest_gap<D>(bodies) >= -1e-15);
  // Within layers: 3 + 2 + 3 + 2 + 3 pairs; a ball in a hollow touches two below and two above (in
  // space: 17 and 7 pairs within layers, four below and four above).
  const int expected = D == 2 ? 13 + 6 * 4 : 3 * 17 + 2 * 7 + 12 * 8;
  CHECK(touching_pairs<D>(bodies, 1e-15) == expected);
  CHECK(bodies.front().position[D - 1] == 0.5);
  CHECK(bodies.back().name == (D == 2 ? "column.4.3" : "column.4.11"));
  double sum = 0;
  for (const auto& body : bodies) sum += body.position[0];
  CHECK(std::abs(sum) <= 1e-13);
}

TEST_CASE("a column one ball wide is a pile of balls") {
  ColumnPlan<3> plan;
  plan.counts = {1, 1, 20};
  plan.min_radius = plan.max_radius = 0.01;
  const Bodies<3> bodies = generate<3>(plan);
  REQUIRE(bodies.size() == 20);
  for (int k = 0; k < 20; ++k) {
    CHECK(bodies[k].position.isApprox(Vec<3>(0, 0, 0.01 + 0.02 * k), 1e-15));
  }
}

TEST_CASE("balls of random size keep to their cells, boxes to their rows") {
  ColumnPlan<2> plan;
  plan.counts = {10, 20};
  plan.min_radius = 0.1;
  plan.max_radius = 0.2;
  plan.seed = 7;
  const Bodies<2> balls = generate<2>(plan);
  CHECK(smallest_gap<2>(balls) >= -1e-15);
  double smallest = 1, largest = 0;
  for (const auto& ball : balls) {
    smallest = std::min(smallest, std::get<Ball<2>>(ball.shapes[0]).radius);
    largest = std::max(largest, std::get<Ball<2>>(ball.shapes[0]).radius);
  }
  CHECK(smallest >= 0.1);
  CHECK(smallest < 0.11);
  CHECK(largest <= 0.2);
  CHECK(largest > 0.19);

  plan.box = Vec<2>(0.3, 0.1);
  plan.counts = {3, 4};
  const Bodies<2> boxes = generate<2>(plan);
  REQUIRE(boxes.size() == 12);
  CHECK(smallest_gap<2>(boxes) >= -1e-15);
  CHECK(total_volume<2>(boxes) == doctest::Approx(0.9 * 0.4));
  CHECK(extent<2>(all_corners<2>(boxes), Vec<2>::UnitY(), true) == doctest::Approx(0.4));
}

TEST_CASE_TEMPLATE("a placed arrangement is moved as a rigid whole", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  WallPlan<D> plan;
  plan.block = block<D>(0.2, 0.1, 0.1);
  plan.courses = 3;
  plan.blocks = 2;
  const Bodies<D> before = generate<D>(plan);
  Bodies<D> after = before;
  Spin<D> turn = Spin<D>::Zero();
  turn[spin_dim<D> - 1] = M_PI / 2;  // about z
  const Vec<D> shift = Vec<D>::Constant(3);
  place<D>(shift, rotated<D>({}, turn), after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::vector<Vec<D>> old_corners = corners<D>(before[i]),
                              new_corners = corners<D>(after[i]);
    for (std::size_t c = 0; c < old_corners.size(); ++c) {
      Vec<D> expected = old_corners[c];
      expected[0] = -old_corners[c][1];
      expected[1] = old_corners[c][0];
      CHECK((new_corners[c] - expected - shift).norm() < 1e-14);
    }
  }
}

TEST_CASE("absurd plans are counted without being made") {
  GridPlan<3> plan;
  plan.counts = {1000000000, 1000000000, 1000000000};
  CHECK(body_count<3>(plan) == 1e27);
}
