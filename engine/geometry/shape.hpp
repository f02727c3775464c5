// SPDX-License-Identifier: Apache-2.0
// Shapes, given in the frame of the body that carries them: convex ones, and walls of triangles. A
// body is one shape or several (a compound); all of its shapes share its material.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/space.hpp"
#include "engine/geometry/triangle_mesh.hpp"

namespace talus {

// Disk or sphere.
template <int D>
struct Ball {
  double radius = 0;               // [m]
  Vec<D> centre = Vec<D>::Zero();  // [m]
};

// All points within `radius` of a segment.
template <int D>
struct Capsule {
  std::array<Vec<D>, 2> ends;  // [m]
  double radius = 0;           // [m]
};

// Convex polygon or polyhedron. In the plane: vertices counter-clockwise, face i is the edge from
// vertex i to i + 1. In space: faces are vertex loops, counter-clockwise seen from outside;
// coplanar triangles are merged.
template <int D>
struct Polytope {
  std::vector<Vec<D>> vertices;                // [m]
  std::vector<std::vector<int>> faces;         // vertex loops; two vertices each in the plane
  std::vector<Vec<D>> normals;                 // outward unit normal of each face
  std::vector<double> offsets;                 // normal · x on each face [m]
  std::vector<std::array<int, 2>> edges;       // space only: vertex pairs, first < second
  std::vector<std::array<int, 2>> edge_faces;  // space only: the face on the left of each edge,
                                               // seen from outside, and the one on its right
  Vec<D> centre = Vec<D>::Zero();              // mean of the vertices [m]
  double radius = 0;                           // largest distance of a vertex from it [m]
};

// { x : normal · x ≤ offset }: the solid side of a plane. Fixed or driven bodies only.
template <int D>
struct HalfSpace {
  Vec<D> normal;      // outward unit normal
  double offset = 0;  // [m]
};

// A wall of triangles (TriangleMesh) is in space only, and of fixed or driven bodies only.
template <int D>
using Shape =
    std::conditional_t<D == 2, std::variant<Ball<D>, Capsule<D>, Polytope<D>, HalfSpace<D>>,
                       std::variant<Ball<D>, Capsule<D>, Polytope<D>, HalfSpace<D>, TriangleMesh>>;

// Convex hull of points. Empty when the points are degenerate: fewer than D + 1, not finite, or
// flat within `flatness` of their extent.
template <int D>
std::optional<Polytope<D>> convex_hull(const std::vector<Vec<D>>& points, double flatness = 1e-9);

template <int D>
Polytope<D> box(const Vec<D>& sides);  // centred at the origin

// Hull of the points in the xy-plane, extruded along z from −height/2 to height/2. Empty when
// degenerate.
std::optional<Polytope<3>> prism(const std::vector<Vec<2>>& base, double height);

// Shape after a rigid displacement.
template <int D>
Shape<D> moved(const Shape<D>& shape, const Vec<D>& translation, const Orientation<D>& rotation);

// Volume, centre and inertia about that centre of a solid of unit density: exact integrals.
// A disk is a disk of unit thickness. A half-space and a wall
// of triangles have infinite volume, centre and inertia 0.
template <int D>
struct MassProperties {
  double volume = 0;                        // [m^D]
  Vec<D> centre = Vec<D>::Zero();           // [m]
  SpinMat<D> inertia = SpinMat<D>::Zero();  // per unit density
};
template <int D>
MassProperties<D> mass_properties(const Shape<D>& shape);
template <int D>
MassProperties<D> mass_properties(
    const std::vector<Shape<D>>& shapes);  // sum over the shapes; overlaps count twice

// Largest distance from the origin of the body frame; infinite for a half-space.
template <int D>
double bounding_radius(const std::vector<Shape<D>>& shapes);

// Explicit specialisations, declared so that no use instantiates the template.
template <>
std::optional<Polytope<2>> convex_hull(const std::vector<Vec<2>>&, double);
template <>
std::optional<Polytope<3>> convex_hull(const std::vector<Vec<3>>&, double);
template <>
Polytope<2> box(const Vec<2>&);
template <>
Polytope<3> box(const Vec<3>&);

}  // namespace talus
