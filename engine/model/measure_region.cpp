// SPDX-License-Identifier: Apache-2.0
#include "engine/model/measure_region.hpp"

#include <cmath>
#include <numbers>

#include "engine/geometry/polytope.hpp"

namespace talus {

namespace {

constexpr int sides_of_circle = 64;

// Corners of a regular polygon with the area of a circle.
std::vector<Vec<2>> circle(double radius) {
  const double part = 2 * std::numbers::pi / sides_of_circle;
  const double corner_radius = radius * std::sqrt(part / std::sin(part));
  std::vector<Vec<2>> corners;
  for (int k = 0; k < sides_of_circle; ++k)
    corners.emplace_back(corner_radius * std::cos(k * part), corner_radius * std::sin(k * part));
  return corners;
}

// The corners of an icosahedron on the unit sphere.
std::vector<Vec<3>> icosahedron() {
  const double golden = std::numbers::phi;
  std::vector<Vec<3>> corners;
  for (int axis = 0; axis < 3; ++axis)
    for (const double a : {-1.0, 1.0})
      for (const double b : {-golden, golden}) {
        Vec<3> x;
        x[axis] = 0;
        x[(axis + 1) % 3] = a;
        x[(axis + 2) % 3] = b;
        corners.push_back(x.normalized());
      }
  return corners;
}

// Each face cut into 4 by the middles of its edges, which are moved out to the unit sphere.
std::vector<Vec<3>> refined(const std::vector<Vec<3>>& corners) {
  const Polytope<3> hull = *convex_hull<3>(corners);
  std::vector<Vec<3>> finer = hull.vertices;
  for (const auto& [a, b] : hull.edges)
    finer.push_back(
        (hull.vertices[static_cast<std::size_t>(a)] + hull.vertices[static_cast<std::size_t>(b)])
            .normalized());
  return finer;
}

}  // namespace

template <int D>
Polytope<D> box_region_polytope(const Vec<D>& sides) {
  return std::get<Polytope<D>>(
      moved<D>(box<D>(sides), sides[D - 1] / 2 * Vec<D>::Unit(D - 1), Orientation<D>{}));
}

Polytope<3> cylinder_region_polytope(double radius, double height) {
  return std::get<Polytope<3>>(
      moved<3>(*prism(circle(radius), height), {0, 0, height / 2}, Orientation<3>{}));
}

template <>
Polytope<2> ball_region_polytope(double radius) {
  return polygon(circle(radius));
}

template <>
Polytope<3> ball_region_polytope(double radius) {
  std::vector<Vec<3>> corners = refined(refined(icosahedron()));
  const double volume = mass_properties<3>(Shape<3>(*convex_hull<3>(corners))).volume;
  const double scale = radius * std::cbrt(4 * std::numbers::pi / 3 / volume);
  for (Vec<3>& x : corners) x *= scale;
  return *convex_hull<3>(corners);
}

template Polytope<2> box_region_polytope<2>(const Vec<2>&);
template Polytope<3> box_region_polytope<3>(const Vec<3>&);

}  // namespace talus
