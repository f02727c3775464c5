// SPDX-License-Identifier: Apache-2.0
// Hulls and mass properties against closed forms and against the same solid computed another way.
#include "engine/geometry/shape.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>

using namespace talus;
using doctest::Approx;

namespace {

constexpr double pi = std::numbers::pi;

template <int D>
Vec<D> random_point(std::mt19937& rng) {
  std::uniform_real_distribution<double> coordinate(-1, 1);
  Vec<D> x;
  for (int i = 0; i < D; ++i) x[i] = coordinate(rng);
  return x;
}

template <int D>
Vec<D> random_point_in_ball(std::mt19937& rng) {
  Vec<D> x;
  do {
    x = random_point<D>(rng);
  } while (x.norm() > 1);
  return x;
}

Orientation<2> random_orientation(std::mt19937& rng, Vec<2>) {
  return {std::uniform_real_distribution<double>(-pi, pi)(rng)};
}
Orientation<3> random_orientation(std::mt19937& rng, Vec<3>) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q{normal(rng), normal(rng), normal(rng), normal(rng)};
  return {q.normalized()};
}

template <int D>
double face_offset(const Polytope<D>& polytope, std::size_t f) {
  return polytope.normals[f].dot(polytope.vertices[static_cast<std::size_t>(polytope.faces[f][0])]);
}

// Every point inside, every vertex one of the points, every face held up by D points or more.
template <int D>
void check_hull(const Polytope<D>& hull, const std::vector<Vec<D>>& points, double tolerance) {
  REQUIRE(hull.faces.size() == hull.normals.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    CHECK(hull.normals[f].norm() == Approx(1).epsilon(1e-14));
    const double offset = face_offset<D>(hull, f);
    double highest = -std::numeric_limits<double>::infinity();
    for (const Vec<D>& x : points) highest = std::max(highest, hull.normals[f].dot(x));
    CHECK(highest - offset <= tolerance);
    CHECK(hull.faces[f].size() >= static_cast<std::size_t>(D));
    for (int v : hull.faces[f]) {
      const Vec<D>& x = hull.vertices[static_cast<std::size_t>(v)];
      CHECK(std::abs(hull.normals[f].dot(x) - offset) <= tolerance);
    }
  }
  for (const Vec<D>& v : hull.vertices) {
    CHECK(std::find(points.begin(), points.end(), v) != points.end());
  }
}

// Closed surface: every edge borders two faces, once in each direction.
void check_closed(const Polytope<3>& hull) {
  std::set<std::array<int, 2>> directed;
  for (const auto& face : hull.faces) {
    for (std::size_t k = 0; k < face.size(); ++k) {
      CHECK(directed.insert({face[k], face[(k + 1) % face.size()]}).second);
    }
  }
  for (const auto& [from, to] : directed) CHECK(directed.contains({to, from}));
  CHECK(directed.size() == 2 * hull.edges.size());
  CHECK(hull.vertices.size() + hull.faces.size() == hull.edges.size() + 2);
  for (std::size_t e = 0; e < hull.edges.size(); ++e) {
    const auto& [from, to] = hull.edges[e];
    CHECK(from < to);
    const auto runs_through = [&](int face, int a, int b) {
      const auto& loop = hull.faces[static_cast<std::size_t>(face)];
      for (std::size_t k = 0; k < loop.size(); ++k) {
        if (loop[k] == a && loop[(k + 1) % loop.size()] == b) return true;
      }
      return false;
    };
    CHECK(runs_through(hull.edge_faces[e][0], from, to));
    CHECK(runs_through(hull.edge_faces[e][1], to, from));
  }
}

template <int D>
void check_inertia(const SpinMat<D>& value, const SpinMat<D>& expected, double relative) {
  CHECK((value - expected).norm() <= relative * expected.norm());
}

}  // namespace

TEST_CASE("the hull of random points holds them all and rests on them, in the plane") {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Vec<2>> points(static_cast<std::size_t>(3 + trial));
    for (auto& x : points) x = random_point<2>(rng);
    const auto hull = convex_hull<2>(points);
    REQUIRE(hull);
    check_hull<2>(*hull, points, 1e-8);
    double twice_area = 0;
    for (const auto& face : hull->faces) {
      const Vec<2>&a = hull->vertices[static_cast<std::size_t>(face[0])],
            &b = hull->vertices[static_cast<std::size_t>(face[1])];
      twice_area += a[0] * b[1] - a[1] * b[0];
    }
    CHECK(twice_area > 0);  // counter-clockwise
  }
}

TEST_CASE("the hull of random points holds them all and rests on them, in space") {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec<3>> points(static_cast<std::size_t>(4 + 3 * trial));
    for (auto& x : points) x = random_point<3>(rng);
    const auto hull = convex_hull<3>(points);
    REQUIRE(hull);
    check_hull<3>(*hull, points, 1e-8);
    check_closed(*hull);
  }
}

TEST_CASE("points on a sphere all become vertices") {
  std::mt19937 rng(3);
  std::vector<Vec<3>> points(300);
  for (auto& x : points) x = random_point_in_ball<3>(rng).normalized();
  const auto hull = convex_hull<3>(points);
  REQUIRE(hull);
  CHECK(hull->vertices.size() == points.size());
  CHECK(hull->faces.size() == 2 * points.size() - 4);
  check_closed(*hull);
}

TEST_CASE("a lattice of points in a turned block gives six faces and eight corners") {
  std::mt19937 rng(4);
  for (double scale : {1e-5, 1.0, 1e3}) {
    for (int trial = 0; trial < 20; ++trial) {
      const Mat<3> R = rotation_matrix<3>(random_orientation(rng, Vec<3>()));
      const Vec<3> shift = scale * random_point<3>(rng);
      std::vector<Vec<3>> points;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          for (int k = 0; k < 4; ++k) points.push_back(scale * (R * Vec<3>(i, 2 * j, k)) + shift);
        }
      }
      std::shuffle(points.begin(), points.end(), rng);
      const auto hull = convex_hull<3>(points);
      REQUIRE(hull);
      CHECK(hull->vertices.size() == 8);
      CHECK(hull->faces.size() == 6);
      CHECK(hull->edges.size() == 12);
      check_hull<3>(*hull, points, 1e-8 * scale);
      check_closed(*hull);
    }
  }
}

TEST_CASE("a lattice of points in a turned rectangle gives four corners") {
  std::mt19937 rng(5);
  for (double scale : {1e-5, 1.0, 1e3}) {
    const Mat<2> R = rotation_matrix<2>(random_orientation(rng, Vec<2>()));
    std::vector<Vec<2>> points;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) points.push_back(scale * (R * Vec<2>(i, 3 * j)));
    }
    const auto hull = convex_hull<2>(points);
    REQUIRE(hull);
    CHECK(hull->vertices.size() == 4);
    check_hull<2>(*hull, points, 1e-8 * scale);
  }
}

TEST_CASE("degenerate points have no hull") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  CHECK_FALSE(convex_hull<2>({}));
  CHECK_FALSE(convex_hull<2>({{0, 0}, {1, 0}}));
  CHECK_FALSE(convex_hull<2>({{0, 0}, {1, 0}, {0, nan}}));
  CHECK_FALSE(convex_hull<2>({{0, 0}, {1, 0}, {0, inf}}));
  CHECK_FALSE(convex_hull<2>({{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
  CHECK_FALSE(convex_hull<2>({{0, 0}, {1, 0}, {2, 1e-12}, {3, 0}}));
  CHECK_FALSE(convex_hull<2>({{1, 1}, {1, 1}, {1, 1}}));
  CHECK_FALSE(convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  CHECK_FALSE(convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}}));
  CHECK_FALSE(convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}));
  CHECK_FALSE(convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-12}}));
  CHECK_FALSE(convex_hull<3>({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}));
  CHECK_FALSE(convex_hull<3>({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}));
}

TEST_CASE("repeated points change nothing") {
  const std::vector<Vec<3>> once = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<Vec<3>> thrice = once;
  for (int i = 0; i < 2; ++i) thrice.insert(thrice.end(), once.begin(), once.end());
  const auto hull = convex_hull<3>(thrice);
  REQUIRE(hull);
  CHECK(hull->vertices.size() == 4);
  CHECK(hull->faces.size() == 4);
}

TEST_CASE("boxes have the mass properties of the textbook") {
  const MassProperties<2> flat = mass_properties<2>(Shape<2>(box<2>({0.3, 0.7})));
  CHECK(flat.volume == Approx(0.21).epsilon(1e-14));
  CHECK(flat.centre == Vec<2>(0, 0));
  CHECK(flat.inertia(0, 0) == Approx(0.21 * (0.09 + 0.49) / 12).epsilon(1e-14));

  const Vec<3> s(0.3, 0.7, 1.1);
  const MassProperties<3> solid = mass_properties<3>(Shape<3>(box<3>(s)));
  const double V = s.prod();
  CHECK(solid.volume == Approx(V).epsilon(1e-14));
  CHECK(solid.centre == Vec<3>(0, 0, 0));
  const Vec<3> J =
      V / 12 *
      Vec<3>(s[1] * s[1] + s[2] * s[2], s[0] * s[0] + s[2] * s[2], s[0] * s[0] + s[1] * s[1]);
  check_inertia<3>(solid.inertia, J.asDiagonal(), 1e-14);
  CHECK(solid.inertia(0, 1) == 0);
}

TEST_CASE("balls and capsules have the mass properties of the textbook") {
  const MassProperties<3> ball = mass_properties<3>(Shape<3>(Ball<3>{0.5, {1, 2, 3}}));
  CHECK(ball.volume == Approx(pi / 6).epsilon(1e-14));
  CHECK(ball.centre == Vec<3>(1, 2, 3));
  check_inertia<3>(ball.inertia, 0.1 * pi / 6 * Mat<3>::Identity(), 1e-14);
  const MassProperties<2> disk = mass_properties<2>(Shape<2>(Ball<2>{0.5, {1, 2}}));
  CHECK(disk.inertia(0, 0) == Approx(pi / 4 * 0.125).epsilon(1e-14));

  // A capsule of zero length is a ball.
  const MassProperties<3> round =
      mass_properties<3>(Shape<3>(Capsule<3>{{Vec<3>(1, 2, 3), Vec<3>(1, 2, 3)}, 0.5}));
  check_inertia<3>(round.inertia, ball.inertia, 1e-14);
}

// Slices across the axis, added up by Simpson's rule; their moments are piecewise polynomials.
TEST_CASE("a capsule in space has the moments of its slices") {
  const double r = 0.3, l = 0.8;
  double volume = 0, along = 0, across = 0;
  const auto slices = [&](double from, double to, auto&& radius_squared) {
    constexpr int n = 2000;
    const double h = (to - from) / n;
    for (int i = 0; i <= n; ++i) {
      const double z = from + i * h, weight = (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * h / 3;
      const double q = radius_squared(z), area = pi * q;
      volume += weight * area;
      along += weight * area * q / 2;
      across += weight * area * (q / 4 + z * z);
    }
  };
  slices(-l / 2, l / 2, [&](double) { return r * r; });
  slices(l / 2, l / 2 + r, [&](double z) { return r * r - (z - l / 2) * (z - l / 2); });
  slices(-l / 2 - r, -l / 2, [&](double z) { return r * r - (z + l / 2) * (z + l / 2); });

  const Vec<3> axis = Vec<3>(1, -2, 0.5).normalized();
  const MassProperties<3> capsule =
      mass_properties<3>(Shape<3>(Capsule<3>{{-l / 2 * axis, l / 2 * axis}, r}));
  CHECK(capsule.volume == Approx(volume).epsilon(1e-12));
  const Mat<3> expected =
      across * (Mat<3>::Identity() - axis * axis.transpose()) + along * axis * axis.transpose();
  check_inertia<3>(capsule.inertia, expected, 1e-10);
}

TEST_CASE("a capsule in the plane has the moments of its slices") {
  const double r = 0.3, l = 0.8;
  // x = l/2 + r sin φ over the end caps, so that the integrands are smooth.
  double area = 2 * r * l, polar = 2 * r * l * (l * l + 4 * r * r) / 12;
  constexpr int n = 2000;
  for (int i = 0; i <= n; ++i) {
    const double phi = pi / 2 * i / n, weight = (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) / 3.0;
    const double x = l / 2 + r * std::sin(phi), y = r * std::cos(phi);
    const double dx = r * std::cos(phi) * pi / 2 / n;
    area += 2 * weight * dx * 2 * y;
    polar += 2 * weight * dx * (2 * y * x * x + 2 * y * y * y / 3);
  }
  const MassProperties<2> capsule =
      mass_properties<2>(Shape<2>(Capsule<2>{{Vec<2>(0, 0), l * Vec<2>(0.6, 0.8)}, r}));
  CHECK(capsule.volume == Approx(area).epsilon(1e-12));
  CHECK(capsule.inertia(0, 0) == Approx(polar).epsilon(1e-12));
  CHECK((capsule.centre - l / 2 * Vec<2>(0.6, 0.8)).norm() < 1e-15);
}

TEST_CASE("the corner tetrahedron has the moments of the simplex") {
  // {x, y, z ≥ 0, x + y + z ≤ 1}: V = 1/6, centre 1/4, ∫x² = 1/60, ∫xy = 1/120.
  const auto tetrahedron = convex_hull<3>({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  REQUIRE(tetrahedron);
  const MassProperties<3> p = mass_properties<3>(Shape<3>(*tetrahedron));
  CHECK(p.volume == Approx(1.0 / 6).epsilon(1e-14));
  CHECK((p.centre - Vec<3>::Constant(0.25)).norm() < 1e-15);
  const double diagonal = 2 * (1.0 / 60 - 1.0 / 6 / 16), off = -(1.0 / 120 - 1.0 / 6 / 16);
  const Mat<3> J{{diagonal, off, off}, {off, diagonal, off}, {off, off, diagonal}};
  check_inertia<3>(p.inertia, J, 1e-13);
}

TEST_CASE("a prism has the moments of its base times its height") {
  const std::vector<Vec<2>> base = {{0, 0}, {2, 0}, {1.5, 1}, {0.2, 1.2}};
  const double height = 0.6;
  const auto outline = convex_hull<2>(base);
  const auto solid = prism(base, height);
  REQUIRE(outline);
  REQUIRE(solid);
  check_closed(*solid);
  const MassProperties<2> flat = mass_properties<2>(Shape<2>(*outline));
  const MassProperties<3> p = mass_properties<3>(Shape<3>(*solid));
  CHECK(p.volume == Approx(flat.volume * height).epsilon(1e-14));
  CHECK((p.centre - Vec<3>(flat.centre[0], flat.centre[1], 0)).norm() < 1e-14);
  CHECK(p.inertia(2, 2) == Approx(flat.inertia(0, 0) * height).epsilon(1e-13));
  // J_xx + J_yy − J_zz = 2 ∫z² = V height²/6
  CHECK(p.inertia(0, 0) + p.inertia(1, 1) - p.inertia(2, 2) ==
        Approx(p.volume * height * height / 6).epsilon(1e-12));
  CHECK(p.inertia(0, 2) == 0);
  CHECK_FALSE(prism(base, 0));
  CHECK_FALSE(prism({{0, 0}, {1, 0}}, 1));
}

// Cutting by a plane gives two hulls whose moments must add up to the whole.
TEST_CASE("a random polyhedron cut in two keeps its mass properties") {
  std::mt19937 rng(6);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<Vec<3>> points(30);
    for (auto& x : points) x = random_point_in_ball<3>(rng) + Vec<3>(5, -3, 2);
    const auto whole = convex_hull<3>(points);
    REQUIRE(whole);
    const Vec<3> n = random_point_in_ball<3>(rng).normalized();
    const double offset = n.dot(Vec<3>(5, -3, 2)) + 0.2;
    std::vector<Vec<3>> above, below;
    for (const Vec<3>& x : whole->vertices) (n.dot(x) > offset ? above : below).push_back(x);
    for (const auto& [i, j] : whole->edges) {
      const Vec<3>&a = whole->vertices[static_cast<std::size_t>(i)],
            &b = whole->vertices[static_cast<std::size_t>(j)];
      const double s = n.dot(a) - offset, t = n.dot(b) - offset;
      if (s * t >= 0) continue;
      const Vec<3> cut = a + s / (s - t) * (b - a);
      above.push_back(cut);
      below.push_back(cut);
    }
    const auto upper = convex_hull<3>(above), lower = convex_hull<3>(below);
    REQUIRE(upper);
    REQUIRE(lower);
    const MassProperties<3> p = mass_properties<3>(Shape<3>(*whole));
    const MassProperties<3> q = mass_properties<3>(std::vector<Shape<3>>{*upper, *lower});
    CHECK(p.volume == Approx(q.volume).epsilon(1e-12));
    CHECK((p.centre - q.centre).norm() < 1e-12);
    check_inertia<3>(p.inertia, q.inertia, 1e-11);
  }
}

TEST_CASE_TEMPLATE("mass properties turn and shift with the shape", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  std::mt19937 rng(7);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec<D>> points(12);
    for (auto& x : points) x = random_point<D>(rng);
    const std::vector<Shape<D>> shapes = {
        *convex_hull<D>(points), Ball<D>{0.3, random_point<D>(rng)},
        Capsule<D>{{random_point<D>(rng), random_point<D>(rng)}, 0.2}};
    const Orientation<D> rotation = random_orientation(rng, Vec<D>());
    const Vec<D> shift = random_point<D>(rng);
    std::vector<Shape<D>> displaced;
    for (const auto& shape : shapes) displaced.push_back(moved<D>(shape, shift, rotation));
    const MassProperties<D> p = mass_properties<D>(shapes), q = mass_properties<D>(displaced);
    CHECK(q.volume == Approx(p.volume).epsilon(1e-12));
    CHECK((q.centre - rotation_matrix<D>(rotation) * p.centre - shift).norm() < 1e-12);
    check_inertia<D>(q.inertia, turned_inertia<D>(rotation, p.inertia), 1e-11);
  }
}

TEST_CASE("the bounding radius reaches the farthest point of any shape") {
  CHECK(bounding_radius<3>({Ball<3>{0.5, {0, 3, 4}}}) == Approx(5.5));
  CHECK(bounding_radius<2>({Capsule<2>{{Vec<2>(1, 0), Vec<2>(0, 2)}, 0.25}}) == Approx(2.25));
  CHECK(bounding_radius<3>({box<3>({2, 4, 4}), Ball<3>{1, {0, 0, 0}}}) == Approx(3));
  CHECK(std::isinf(bounding_radius<3>({HalfSpace<3>{{0, 0, 1}, 0}})));
}

TEST_CASE("a moved half-space holds the moved points") {
  std::mt19937 rng(8);
  const HalfSpace<3> floor{{0, 0, 1}, 0.5};
  const Orientation<3> rotation = random_orientation(rng, Vec<3>());
  const Vec<3> shift(1, 2, 3);
  const auto turned = std::get<HalfSpace<3>>(moved<3>(Shape<3>(floor), shift, rotation));
  for (int i = 0; i < 20; ++i) {
    const Vec<3> x = random_point<3>(rng);
    const Vec<3> y = rotation_matrix<3>(rotation) * x + shift;
    CHECK(turned.normal.dot(y) - turned.offset ==
          Approx(floor.normal.dot(x) - floor.offset).epsilon(1e-12));
  }
}
