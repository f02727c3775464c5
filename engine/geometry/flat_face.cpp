// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/flat_face.hpp"

namespace talus {

namespace {

constexpr double same_direction = 1e-6;  // difference of unit normals

// Adds an edge, or the triangles of a polygon.
template <int D>
void add_face(const Polytope<D>& polytope, std::size_t face, FlatFace<D>& sum) {
  const std::vector<int>& loop = polytope.faces[face];
  const auto corner = [&](std::size_t k) -> const Vec<D>& {
    return polytope.vertices[static_cast<std::size_t>(loop[k])];
  };
  if constexpr (D == 2) {
    const double length = (corner(1) - corner(0)).norm();
    sum.area += length;
    sum.centre += length * (corner(0) + corner(1)) / 2;
  } else {
    for (std::size_t k = 2; k < loop.size(); ++k) {
      const Vec<3> across = (corner(k - 1) - corner(0)).cross(corner(k) - corner(0));
      const double area = 0.5 * polytope.normals[face].dot(across);
      sum.area += area;
      sum.centre += area * (corner(0) + corner(k - 1) + corner(k)) / 3;
    }
  }
}

}  // namespace

template <int D>
std::optional<FlatFace<D>> flat_face(const std::vector<Shape<D>>& shapes, const Vec<D>& normal) {
  FlatFace<D> sum;
  for (const Shape<D>& shape : shapes) {
    const auto* const polytope = std::get_if<Polytope<D>>(&shape);
    if (polytope == nullptr) continue;
    for (std::size_t face = 0; face < polytope->faces.size(); ++face)
      if ((polytope->normals[face] - normal).norm() < same_direction)
        add_face<D>(*polytope, face, sum);
  }
  if (!(sum.area > 0)) return std::nullopt;
  sum.centre /= sum.area;
  return sum;
}

template std::optional<FlatFace<2>> flat_face(const std::vector<Shape<2>>&, const Vec<2>&);
template std::optional<FlatFace<3>> flat_face(const std::vector<Shape<3>>&, const Vec<3>&);

}  // namespace talus
