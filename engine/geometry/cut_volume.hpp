// SPDX-License-Identifier: Apache-2.0
// Volumes of shapes cut by a convex region, in closed form.
//
// A solid is given by its boundary, cut into simplices (edges in the plane, triangles in space)
// that run counter-clockwise seen from outside. Every formula is a sum over simplices of signed
// volumes of cones from one point. So the order of the simplices does not matter, the boundary may
// have several parts, and a degenerate simplex adds nothing.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

template <int D>
using Simplex = std::array<Vec<D>, D>;

template <int D>
using Boundary = std::vector<Simplex<D>>;

template <int D>
void append_boundary(const Polytope<D>& polytope, const Vec<D>& translation, const Mat<D>& R,
                     Boundary<D>& boundary);

// The part of a boundary with normal · x ≤ offset. `removed` is scratch space.
template <int D>
void cut(const Vec<D>& normal, double offset, Boundary<D>& boundary, Boundary<D>& removed);

template <int D>
double volume(std::span<const Simplex<D>> boundary);

// Volume of the part of a ball within a boundary.
template <int D>
double ball_volume(const Vec<D>& centre, double radius, std::span<const Simplex<D>> boundary);

// Volume of the part of an infinite cylinder (a strip in the plane) within a boundary. Accurate to
// about 1e-8: faces within that angle of the axis are treated as parallel to it.
template <int D>
double cylinder_volume(const Vec<D>& point, const Vec<D>& axis, double radius,
                       std::span<const Simplex<D>> boundary);

// A convex region, ready to cut shapes.
template <int D>
struct CutRegion {
  explicit CutRegion(const Polytope<D>& region);

  bool contains(const Vec<D>& x) const;

  // The part of a segment within the region, as an interval of its parameter; empty if last ≤
  // first.
  struct Interval {
    double first = 0, last = 1;
  };
  Interval inside(const Vec<D>& from, const Vec<D>& to) const;

  Polytope<D> polytope;
  Boundary<D> boundary;
  double volume = 0;
};

template <int D>
struct CutScratch {
  Boundary<D> boundary, work;
};

// Volume within the region of a shape that is rotated by R, then translated.
template <int D>
double volume_within(const CutRegion<D>& region, const Shape<D>& shape, const Vec<D>& translation,
                     const Mat<D>& R, CutScratch<D>& scratch);

}  // namespace talus
