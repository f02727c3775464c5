// SPDX-License-Identifier: Apache-2.0
// Volumes of shapes cut by regions: against closed forms, against each other and against counting
// points.
#include "engine/geometry/cut_volume.hpp"

#include <doctest/doctest.h>

#include <numbers>
#include <random>

#include "engine/model/measure_region.hpp"

using namespace talus;

namespace {

using Plane = std::integral_constant<int, 2>;
using Solid = std::integral_constant<int, 3>;

constexpr double pi = std::numbers::pi;

template <int D>
double whole_volume(const Shape<D>& shape) {
  return mass_properties<D>(shape).volume;
}

template <int D>
double within(const Polytope<D>& region, const Shape<D>& shape,
              const Vec<D>& position = Vec<D>::Zero(), const Mat<D>& R = Mat<D>::Identity()) {
  CutScratch<D> scratch;
  return volume_within<D>(CutRegion<D>(region), shape, position, R, scratch);
}

// The box between two corners.
template <int D>
Polytope<D> between(const Vec<D>& low, const Vec<D>& high) {
  return std::get<Polytope<D>>(moved<D>(box<D>(high - low), (low + high) / 2, Orientation<D>{}));
}

template <int D>
Vec<D> random_vector(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Vec<D> x;
  for (int k = 0; k < D; ++k) x[k] = size * unit(random);
  return x;
}

template <int D>
Mat<D> random_rotation(std::mt19937_64& random) {
  return rotation_matrix<D>(rotated<D>({}, Spin<D>(random_vector<spin_dim<D>>(random, 3))));
}

template <int D>
Polytope<D> random_polytope(std::mt19937_64& random, int corners, double radius = 1) {
  std::vector<Vec<D>> points;
  for (int k = 0; k < corners; ++k)
    points.push_back(radius * random_vector<D>(random, 1).normalized());
  return *convex_hull<D>(points);
}

template <int D>
bool holds(const Ball<D>& ball, const Vec<D>& x) {
  return (x - ball.centre).norm() <= ball.radius;
}
template <int D>
bool holds(const Capsule<D>& capsule, const Vec<D>& x) {
  const Vec<D> d = capsule.ends[1] - capsule.ends[0];
  const double s = std::clamp(d.dot(x - capsule.ends[0]) / d.squaredNorm(), 0.0, 1.0);
  return (x - capsule.ends[0] - s * d).norm() <= capsule.radius;
}
template <int D>
bool holds(const Polytope<D>& polytope, const Vec<D>& x) {
  for (std::size_t f = 0; f < polytope.normals.size(); ++f)
    if (polytope.normals[f].dot(x) > polytope.offsets[f]) return false;
  return true;
}
template <int D>
bool holds(const HalfSpace<D>& half_space, const Vec<D>& x) {
  return half_space.normal.dot(x) <= half_space.offset;
}
template <int D>
bool holds(const TriangleMesh&, const Vec<D>&) {
  return false;  // a surface
}

// By counting points of a fine grid, shifted so that no face runs along it.
template <int D>
double counted(const Polytope<D>& region, const Shape<D>& shape, const Vec<D>& position,
               const Mat<D>& R, int n) {
  Vec<D> low = region.vertices[0], high = low;
  for (const Vec<D>& x : region.vertices) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const Vec<D> side = (high - low) / n;
  int inside = 0;
  for (int k = 0; k < (D == 2 ? n * n : n * n * n); ++k) {
    Vec<D> x = low;
    for (int axis = 0, rest = k; axis < D; ++axis, rest /= n)
      x[axis] += (rest % n + 0.5) * side[axis];
    const Vec<D> body = R.transpose() * (x - position);
    inside +=
        holds<D>(region, x) && std::visit([&](const auto& s) { return holds<D>(s, body); }, shape);
  }
  return inside * side.prod();
}

}  // namespace

TEST_CASE("a ball on a face, an edge and a corner of a box is cut in 2, 4 and 8") {
  for (const double r : {0.3, 0.7, 1.0}) {
    const Polytope<3> room = between<3>({0, 0, 0}, {2, 2, 2});
    const double whole = 4 * pi * r * r * r / 3;
    CHECK(within<3>(room, Ball<3>{r}, {1, 1, 1}) == doctest::Approx(whole).epsilon(1e-14));
    CHECK(within<3>(room, Ball<3>{r}, {1, 1, 0}) == doctest::Approx(whole / 2).epsilon(1e-14));
    CHECK(within<3>(room, Ball<3>{r}, {1, 0, 0}) == doctest::Approx(whole / 4).epsilon(1e-14));
    CHECK(within<3>(room, Ball<3>{r}, {0, 2, 0}) == doctest::Approx(whole / 8).epsilon(1e-14));
    CHECK(within<3>(room, Ball<3>{r}, {1, 1, -r}) == 0);
    const Polytope<2> square = between<2>({0, 0}, {2, 2});
    const double disk = pi * r * r;
    CHECK(within<2>(square, Ball<2>{r}, {1, 1}) == doctest::Approx(disk).epsilon(1e-14));
    CHECK(within<2>(square, Ball<2>{r}, {1, 0}) == doctest::Approx(disk / 2).epsilon(1e-14));
    CHECK(within<2>(square, Ball<2>{r}, {2, 0}) == doctest::Approx(disk / 4).epsilon(1e-14));
  }
}

TEST_CASE("a plane cuts a cap off a ball") {
  const double r = 0.8;
  for (double height = -0.75; height < r; height += 0.25) {
    const double h = height + r;  // of the cap within
    CHECK(within<3>(between<3>({-1, -1, -1}, {1, 1, 1}), Ball<3>{r}, {0, 0, height - 1}) ==
          doctest::Approx(pi * h * h * (r - h / 3)).epsilon(1e-13));
    CHECK(within<2>(between<2>({-1, -1}, {1, 1}), Ball<2>{r}, {0, height - 1}) ==
          doctest::Approx(pi * r * r - (r * r * std::acos(height / r) -
                                        height * std::sqrt(r * r - height * height)))
              .epsilon(1e-13));
  }
}

TEST_CASE("a box within a ball is whole, and a ball around a cube is cut by all its faces") {
  CHECK(within<3>(between<3>({-1, -1, -1}, {1, 1, 1}), Ball<3>{1.8}) ==
        doctest::Approx(8).epsilon(1e-13));
  const double r = 1.2, h = r - 1;
  CHECK(within<3>(between<3>({-1, -1, -1}, {1, 1, 1}), Ball<3>{r}) ==
        doctest::Approx(4 * pi * r * r * r / 3 - 6 * pi * h * h * (r - h / 3)).epsilon(1e-13));
}

TEST_CASE_TEMPLATE("the parts of a shape in the cells of a grid add up to it", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<Shape<D>> shapes = {
        Ball<D>{0.9, random_vector<D>(random, 0.2)},
        Capsule<D>{{random_vector<D>(random, 0.8), random_vector<D>(random, 0.8)}, 0.3},
        random_polytope<D>(random, 12), box<D>(Vec<D>::Constant(1))};
    const Vec<D> position = random_vector<D>(random, 0.3);
    const Mat<D> R = trial == 0 ? Mat<D>(Mat<D>::Identity()) : random_rotation<D>(random);
    for (const Shape<D>& shape : shapes) {
      double sum = 0;
      for (int k = 0; k < (D == 2 ? 9 : 27); ++k) {
        Vec<D> low;
        for (int axis = 0, rest = k; axis < D; ++axis, rest /= 3) low[axis] = rest % 3 - 1.5;
        sum += within<D>(between<D>(low, low + Vec<D>::Ones()), shape, position, R);
      }
      // All of it is in the cells: positions reach to 1.5.
      const double outside =
          whole_volume<D>(shape) -
          within<D>(between<D>(Vec<D>::Constant(-1.5), Vec<D>::Constant(1.5)), shape, position, R);
      INFO("shape ", shape.index(), ", trial ", trial);
      CHECK(sum + outside == doctest::Approx(whole_volume<D>(shape)).epsilon(1e-7));
      CHECK(outside >= -1e-12);
    }
  }
}

TEST_CASE_TEMPLATE("cut volumes are what counting points gives", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int n = D == 2 ? 1000 : 100;
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 10; ++trial) {
    // Every other region is small against the shapes, with corners within them.
    const Polytope<D> region = random_polytope<D>(random, 10, trial % 2 == 0 ? 1 : 0.4);
    const std::vector<Shape<D>> shapes = {
        Ball<D>{0.7, random_vector<D>(random, 0.3)},
        Capsule<D>{{random_vector<D>(random, 0.8), random_vector<D>(random, 0.8)}, 0.3},
        random_polytope<D>(random, 12),
        HalfSpace<D>{random_vector<D>(random, 1).normalized(), 0.1}};
    const Vec<D> position = random_vector<D>(random, trial % 2 == 0 ? 0.5 : 0.2);
    const Mat<D> R = random_rotation<D>(random);
    for (const Shape<D>& shape : shapes) {
      INFO("shape ", shape.index(), ", trial ", trial);
      // Counting errs by the cells along the surface, up to chance: 1/n of it at most.
      CHECK(std::abs(within<D>(region, shape, position, R) -
                     counted<D>(region, shape, position, R, n)) <
            0.2 / n * CutRegion<D>(region).volume);
    }
  }
}

TEST_CASE("a wedge cuts a hoof from a cylinder") {
  const double r = 0.8;
  const Shape<3> cylinder = Capsule<3>{{Vec<3>(0, 0, -5), Vec<3>(0, 0, 5)}, r};
  for (const double k : {0.3, 1.0, 2.0}) {
    // 0 ≤ z ≤ k x: ∫ k x over half a disk.
    const Polytope<3> wedge = *convex_hull<3>(
        {{0, -2, 0}, {0, 2, 0}, {2, -2, 0}, {2, 2, 0}, {2, -2, 2 * k}, {2, 2, 2 * k}});
    CHECK(within<3>(wedge, cylinder) == doctest::Approx(2 * k * r * r * r / 3).epsilon(1e-12));
    // The half of it with y > 0, and the quarter between the diagonals.
    const Polytope<3> half =
        *convex_hull<3>({{0, 0, 0}, {0, 2, 0}, {2, 0, 0}, {2, 2, 0}, {2, 0, 2 * k}, {2, 2, 2 * k}});
    CHECK(within<3>(half, cylinder) == doctest::Approx(k * r * r * r / 3).epsilon(1e-12));
    const Polytope<3> quarter =
        *convex_hull<3>({{0, 0, 0}, {2, -2, 0}, {2, 2, 0}, {2, -2, 2 * k}, {2, 2, 2 * k}});
    CHECK(within<3>(quarter, cylinder) ==
          doctest::Approx(2 * std::sqrt(0.5) * k * r * r * r / 3).epsilon(1e-12));
    const Polytope<3> slanted = *convex_hull<3>(  // 0 ≤ z ≤ k y over x, y ≥ 0: another slope
        {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}, {0, 2, 2 * k}, {2, 2, 2 * k}});
    CHECK(within<3>(slanted, cylinder) == doctest::Approx(k * r * r * r / 3).epsilon(1e-12));
  }
}

TEST_CASE("a column with a slanted top within a cylinder is whole") {
  std::vector<Vec<3>> corners;
  for (const double x : {0.1, 0.5})
    for (const double y : {0.1, 0.4})
      for (const double z : {0.0, 1 + x + 2 * y}) corners.emplace_back(x, y, z);
  const Shape<3> cylinder = Capsule<3>{{Vec<3>(0, 0, -5), Vec<3>(0, 0, 5)}, 0.8};
  CHECK(within<3>(*convex_hull<3>(corners), cylinder) ==
        doctest::Approx(0.4 * 0.3 * (1 + 0.3 + 2 * 0.25)).epsilon(1e-12));
}

TEST_CASE("blocks flush with the faces of a region are whole") {
  const Polytope<3> room = between<3>({0, 0, 0}, {1, 1, 1});
  CHECK(within<3>(room, box<3>({1, 1, 1}), {0.5, 0.5, 0.5}) == doctest::Approx(1).epsilon(1e-14));
  CHECK(within<3>(room, box<3>({1, 1, 0.5}), {0.5, 0.5, 0.75}) ==
        doctest::Approx(0.5).epsilon(1e-14));
  // The same, turned by next to nothing, as blocks at rest are.
  for (const double angle : {1e-16, 1e-13, 1e-10, 1e-7}) {
    const Mat<3> R = rotation_matrix<3>(rotated<3>({}, angle * Vec<3>(1, 2, 3)));
    CHECK(within<3>(room, box<3>({1, 1, 0.5}), {0.5, 0.5, 0.75}, R) ==
          doctest::Approx(0.5).epsilon(1e-14 + 10 * angle));
  }
}

TEST_CASE("lattices have their densities") {
  // A cell of the lattice with all balls that reach into it.
  const double fcc = std::sqrt(2.0);  // side of the cube, with balls of radius 1/2
  double solid = 0;
  for (int i = -2; i <= 4; ++i)
    for (int j = -2; j <= 4; ++j)
      for (int k = -2; k <= 4; ++k)
        if ((i + j + k) % 2 == 0)
          solid += within<3>(between<3>({0, 0, 0}, {fcc, fcc, fcc}), Ball<3>{0.5},
                             fcc / 2 * Vec<3>(i, j, k));
  CHECK(solid / (fcc * fcc * fcc) == doctest::Approx(pi / (3 * std::sqrt(2.0))).epsilon(1e-13));

  const double row = std::sqrt(3.0) / 2;
  double disks = 0;
  for (int i = -3; i <= 4; ++i)
    for (int j = -3; j <= 4; ++j)
      disks += within<2>(between<2>({0, 0}, {1, 2 * row}), Ball<2>{0.5}, {i + 0.5 * j, j * row});
  CHECK(disks / (2 * row) == doctest::Approx(pi * std::sqrt(3.0) / 6).epsilon(1e-13));
}

TEST_CASE("round regions have the volumes of what they stand for") {
  CHECK(CutRegion<3>(ball_region_polytope<3>(0.7)).volume ==
        doctest::Approx(4 * pi * 0.343 / 3).epsilon(1e-12));
  CHECK(CutRegion<2>(ball_region_polytope<2>(0.7)).volume ==
        doctest::Approx(pi * 0.49).epsilon(1e-12));
  CHECK(CutRegion<3>(cylinder_region_polytope(0.7, 2)).volume ==
        doctest::Approx(2 * pi * 0.49).epsilon(1e-12));
  CHECK(ball_region_polytope<3>(1).faces.size() == 320);
  // Two balls of one radius, a radius apart: 5/16 of each.
  CHECK(within<3>(ball_region_polytope<3>(1), Ball<3>{1}, {1, 0, 0}) ==
        doctest::Approx(5 * pi / 12).epsilon(0.01));
  CHECK(cylinder_region_polytope(1, 3).vertices[0].norm() < 3.2);
}

TEST_CASE("a segment is cut at the faces of a region") {
  const CutRegion<2> square(between<2>({0, 0}, {1, 1}));
  const auto part = [&](const Vec<2>& from, const Vec<2>& to) {
    const auto interval = square.inside(from, to);
    return std::max(0.0, interval.last - interval.first);
  };
  CHECK(part({0.2, 0.2}, {0.8, 0.3}) == 1);
  CHECK(part({-1, 0.5}, {1, 0.5}) == doctest::Approx(0.5));
  CHECK(part({-1, 0.5}, {3, 0.5}) == doctest::Approx(0.25));
  CHECK(part({-1, 2}, {3, 2}) == 0);
  CHECK(part({0.2, 3}, {0.8, 2}) == 0);
  CHECK(part({0.2, 2}, {0.8, 3}) == 0);
  CHECK(part({-0.4, 1}, {0.6, 2}) == 0);  // passes a corner
  CHECK(part({-0.5, 0.5}, {0.5, 1.5}) == 0);
}
