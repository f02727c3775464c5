// SPDX-License-Identifier: Apache-2.0
// Walls of triangles: against the convex solids they bound, by the oracle of the other shapes;
// against the distance of a point from every triangle; and flat ones against the half-space.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/engine/detect/convex_oracle.hpp"

using namespace talus;
using oracle::Family;

namespace {

// The surface of a polytope; each face as a fan.
TriangleMesh surface_of(const Polytope<3>& polytope) {
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : polytope.faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      triangles.push_back({face[0], face[k - 1], face[k]});
  return triangle_mesh(polytope.vertices, triangles);
}

// Heights over the integer points of an n × n square, each cell cut along a random diagonal.
template <class Height>
TriangleMesh terrain(int n, std::mt19937& rng, Height&& height) {
  std::vector<Vec<3>> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      vertices.emplace_back(i, j, height(i, j));
      if (i == 0 || j == 0) continue;
      const int here = j * (n + 1) + i, west = here - 1, south = here - n - 1;
      if (rng() % 2 == 0) {
        triangles.push_back({south - 1, south, here});
        triangles.push_back({south - 1, here, west});
      } else {
        triangles.push_back({south - 1, south, west});
        triangles.push_back({south, here, west});
      }
    }
  return triangle_mesh(vertices, triangles);
}

std::vector<ShapeContact<3>> contacts_of(const PlacedShape<3>& a, const PlacedShape<3>& b,
                                         double reach) {
  std::vector<ShapeContact<3>> contacts;
  find_shape_contacts<3>(a, b, reach, contacts);
  return contacts;
}

double distance_from_triangle(const Vec<3>& x, const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  oracle::Solid<3> triangle, point;
  triangle.points = {a, b, c};
  point.points = {x};
  return oracle::separation<3>(triangle, point).gap;
}

}  // namespace

TEST_CASE("the surface of a convex solid has its closest contact where the solid has") {
  std::mt19937 rng(31);
  for (const Family family : {Family::ball, Family::capsule, Family::box, Family::hull}) {
    CAPTURE(static_cast<int>(family));
    for (int trial = 0; trial < 1500; ++trial) {
      CAPTURE(trial);
      const Shape<3> solid_shape = oracle::shape<3>(rng, trial % 2 ? Family::box : Family::hull);
      const Shape<3> wall = surface_of(std::get<Polytope<3>>(solid_shape));
      const Shape<3> shape = oracle::shape<3>(rng, family);
      PlacedShape<3> a{&shape, oracle::point_in_ball<3>(rng), oracle::rotation<3>(rng)};
      const Vec<3> away = 6 * oracle::point_in_ball<3>(rng).normalized();
      PlacedShape<3> solid{&solid_shape, a.position + away, oracle::rotation<3>(rng)};
      const auto apart = oracle::separation<3>(oracle::solid<3>(a), oracle::solid<3>(solid));
      const double gaps[] = {oracle::uniform(rng, 0, 0.08), oracle::uniform(rng, 0, 1e-6),
                             oracle::uniform(rng, -1e-5, 0), oracle::uniform(rng, 0.11, 0.2)};
      // Corners of polytopes that have entered each other overlap along several directions.
      if (trial % 4 == 2 && (family == Family::box || family == Family::hull)) continue;
      const double gap = gaps[trial % 4], reach = 0.1;
      solid.position += (gap - apart.gap) * apart.direction;
      const PlacedShape<3> b{&wall, solid.position, solid.rotation};
      const auto truth = oracle::separation<3>(oracle::solid<3>(a), oracle::solid<3>(solid));
      const auto contacts = contacts_of(a, b, reach);
      if (truth.gap > reach) {
        CHECK(contacts.empty());
        continue;
      }
      REQUIRE(!contacts.empty());
      const auto& closest =
          *std::ranges::min_element(contacts, {}, [](const auto& c) { return c.gap; });
      CHECK(std::abs(closest.gap - truth.gap) < 1e-6);
      if (std::abs(truth.gap) > 1e-6) CHECK((closest.normal - truth.direction).norm() < 1e-4);
      std::map<std::uint64_t, int> features;
      const auto solid_a = oracle::solid<3>(a), solid_b = oracle::solid<3>(solid);
      for (const auto& c : contacts) {
        CHECK(++features[c.feature] == 1);
        CHECK(c.normal.norm() == doctest::Approx(1).epsilon(1e-12));
        const Vec<3> x = c.point - c.gap / 2 * c.normal, y = c.point + c.gap / 2 * c.normal;
        CHECK(std::abs(oracle::distance<3>(solid_b, y)) < 1e-5);
        if (solid_a.radius == 0 || &c == &closest)
          CHECK(std::abs(oracle::distance<3>(solid_a, x)) < 1e-5);
      }
      // The other way round: the same contacts with reversed normals.
      const auto backward = contacts_of(b, a, reach);
      REQUIRE(backward.size() == contacts.size());
      for (std::size_t k = 0; k < contacts.size(); ++k)
        CHECK((backward[k].normal + contacts[k].normal).norm() == 0);
    }
  }
}

TEST_CASE("over hills and valleys a ball is as far from the wall as from its nearest triangle") {
  std::mt19937 rng(32);
  const int n = 6;
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    const double relief = trial % 3 == 0 ? 0.02 : 0.8;
    const Shape<3> wall =
        terrain(n, rng, [&](int, int) { return oracle::uniform(rng, 0, relief); });
    const auto& mesh = std::get<TriangleMesh>(wall);
    const double radius = oracle::uniform(rng, 0.05, 0.9);
    const Vec<3> x(oracle::uniform(rng, 1, n - 1), oracle::uniform(rng, 1, n - 1),
                   oracle::uniform(rng, relief, relief + 1));
    double truth = 1e300;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const int i = static_cast<int>(t);
      truth = std::min(truth, distance_from_triangle(x, mesh.corner(i, 0), mesh.corner(i, 1),
                                                     mesh.corner(i, 2)));
    }
    const Shape<3> ball = Ball<3>{radius};
    const PlacedShape<3> a{&ball, x, Mat<3>::Identity()},
        b{&wall, Vec<3>::Zero(), Mat<3>::Identity()};
    const double reach = 0.3;
    const auto contacts = contacts_of(a, b, reach);
    if (truth - radius > reach) {
      CHECK(contacts.empty());
      continue;
    }
    REQUIRE(!contacts.empty());
    double least = 1e300;
    for (const auto& c : contacts) {
      least = std::min(least, c.gap);
      CHECK(c.normal[2] < 0);  // every contact presses the ball off the ground
    }
    CHECK(least == doctest::Approx(truth - radius).epsilon(1e-9).scale(1));
  }
}

TEST_CASE("a flat wall has the contacts of a half-space, whatever its triangles") {
  std::mt19937 rng(33);
  for (int trial = 0; trial < 2000; ++trial) {
    CAPTURE(trial);
    const Shape<3> wall = terrain(40, rng, [](int, int) { return 0; });
    const Shape<3> plane = HalfSpace<3>{Vec<3>::UnitZ(), 0};
    const Family family = std::array{Family::ball, Family::capsule, Family::box,
                                     Family::hull}[static_cast<std::size_t>(trial) % 4];
    const Shape<3> shape = oracle::shape<3>(rng, family);
    const Mat<3> tilt = oracle::rotation<3>(rng);
    const Vec<3> place = oracle::point_in_ball<3>(rng);
    // Some exactly over edges and vertices of the triangles.
    Vec<3> over(oracle::uniform(rng, 10, 30), oracle::uniform(rng, 10, 30),
                oracle::uniform(rng, -0.01, 2));
    if (trial % 3 == 0) over[0] = std::round(over[0]);
    if (trial % 5 == 0) over[1] = std::round(over[1]);
    const PlacedShape<3> a{&shape, place + tilt * over, oracle::rotation<3>(rng)};
    const PlacedShape<3> on_wall{&wall, place, tilt}, on_plane{&plane, place, tilt};
    auto found = contacts_of(a, on_wall, 0.1), expected = contacts_of(a, on_plane, 0.1);
    // What lies behind the wall as a whole is not searched for.
    if (family != Family::ball && std::ranges::all_of(expected, [](auto& c) { return c.gap < 0; }))
      continue;
    REQUIRE(found.size() == expected.size());
    for (const auto& c : expected)
      CHECK(std::ranges::any_of(found, [&](const auto& d) {
        return std::abs(c.gap - d.gap) < 1e-12 && (c.normal - d.normal).norm() < 1e-14 &&
               (c.point - d.point).norm() < 1e-12;
      }));
  }
}

TEST_CASE("a thin plate is touched on the side where a body is") {
  const Shape<3> plate = surface_of(box<3>({4, 4, 0.01}));
  const PlacedShape<3> b{&plate, Vec<3>::Zero(), Mat<3>::Identity()};
  const Shape<3> shapes[] = {Ball<3>{0.3}, Capsule<3>{{Vec<3>(-0.5, 0, 0), Vec<3>(0.5, 0, 0)}, 0.3},
                             box<3>({0.6, 0.6, 0.6})};
  for (const Shape<3>& shape : shapes)
    for (const double gap : {1e-6, 0.0, -1e-9, -1e-4}) {
      CAPTURE(gap);
      const PlacedShape<3> above{&shape, {0.1, 0.2, 0.305 + gap}, Mat<3>::Identity()};
      const auto contacts = contacts_of(above, b, 0.02);
      REQUIRE(!contacts.empty());
      for (const auto& c : contacts) {
        CHECK((c.normal + Vec<3>::UnitZ()).norm() < 1e-12);
        CHECK(c.gap == doctest::Approx(gap).epsilon(1e-12).scale(1));
      }
    }
}

TEST_CASE("a corner that presses a floor and a wall touches both") {
  // Two squares that meet in a concave edge: z = 0 for x > 0, and x = 0 for z > 0.
  const Shape<3> trough =
      triangle_mesh({{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {0, 2, 2}},
                    {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}});
  const PlacedShape<3> b{&trough, Vec<3>::Zero(), Mat<3>::Identity()};
  const Shape<3> cube = box<3>({0.5, 0.5, 0.5});
  for (const double depth_x : {-1e-6, 0.0, 1e-9, 1e-6})
    for (const double depth_z : {-1e-7, 0.0, 1e-9, 1e-5}) {
      CAPTURE(depth_x);
      CAPTURE(depth_z);
      const PlacedShape<3> a{&cube, {0.25 - depth_x, 1, 0.25 - depth_z}, Mat<3>::Identity()};
      int on_floor = 0, on_wall = 0;
      for (const auto& c : contacts_of(a, b, 1e-4)) {
        on_floor += (c.normal + Vec<3>::UnitZ()).norm() < 1e-12;
        on_wall += (c.normal + Vec<3>::UnitX()).norm() < 1e-12;
      }
      CHECK(on_floor == 4);
      CHECK(on_wall == 4);
    }
}

TEST_CASE("a block across a step has its corners and the crossings of its edges with the rim") {
  // A box that overhangs the rim x = 1 of a slab: its contacts bound the common area.
  const Shape<3> slab = surface_of(box<3>({2, 2, 0.5})), block = box<3>({0.6, 0.4, 0.2});
  const PlacedShape<3> b{&slab, {0, 0, -0.25}, Mat<3>::Identity()};
  for (const double angle : {0.0, 1e-9, 1e-5, 0.3}) {
    CAPTURE(angle);
    const PlacedShape<3> a{
        &block, {1, 0, 0.1}, rotation_matrix<3>(rotated<3>({}, Vec<3>(0, 0, angle)))};
    const auto contacts = contacts_of(a, b, 1e-3);
    Vec<3> low = Vec<3>::Constant(9), high = -low;
    for (const auto& c : contacts) {
      CHECK((c.normal + Vec<3>::UnitZ()).norm() < 1e-9);
      CHECK(std::abs(c.gap) < 1e-12);
      low = low.cwiseMin(c.point);
      high = high.cwiseMax(c.point);
    }
    CHECK(contacts.size() == 4);
    CHECK(high[0] == doctest::Approx(1).epsilon(1e-12));
    const Vec<3> corner = a.rotation * Vec<3>(-0.3, angle > 0 ? 0.2 : 0, 0);
    CHECK(low[0] == doctest::Approx(1 + std::min(corner[0], corner[0])).epsilon(1e-9));
  }
}
