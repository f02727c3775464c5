// SPDX-License-Identifier: Apache-2.0
// Convex regions that hold grains.
#pragma once

#include <vector>

#include "engine/geometry/shape.hpp"
#include "engine/geometry/space.hpp"

namespace talus {

// All points x with n·x ≤ d for every wall. In space also within a vertical cylinder about the
// origin, if `cylinder` is set.
template <int D>
struct Region {
  struct Wall {
    Vec<D> n;  // unit, outward
    double d = 0;
  };
  std::vector<Wall> walls;
  double cylinder = 0;                                 // radius [m]; 0: no cylinder
  Vec<D> low = Vec<D>::Zero(), high = Vec<D>::Zero();  // bounding box
  std::vector<Vec<D>> corners;                         // empty for a cylinder or half-space

  bool holds(const Vec<D>& centre, double radius) const;
  double reach(const Vec<D>& n) const;  // support function: the largest n·x over its points
};

// The origin is the middle of the foot.
template <int D>
Region<D> box_region(const Vec<D>& sides);
Region<3> cylinder_region(double radius, double height);
template <int D>
Region<D> hull_region(const Polytope<D>& hull);
// The unbounded solid side of a plane through the origin.
template <int D>
Region<D> half_space_region(const Vec<D>& normal);

}  // namespace talus
