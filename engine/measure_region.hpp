// Regions to measure in, as convex polytopes: round ones have many faces and the volume of what
// they stand for. The origin is the middle of the foot, as for packings; a ball's is its centre.
#pragma once

#include "engine/shape.hpp"

namespace talus {

template <int D>
Polytope<D> box_region_polytope(const Vec<D>& sides);

// A prism of 64 sides, upright.
Polytope<3> cylinder_region_polytope(double radius, double height);

// A polygon of 64 sides, or a polyhedron of 320 faces: an icosahedron with every face in 16.
template <int D>
Polytope<D> ball_region_polytope(double radius);

}  // namespace talus
