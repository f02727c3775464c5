// SPDX-License-Identifier: Apache-2.0
// Regions of measures, as convex polytopes. Round regions are approximated by polytopes of the same
// volume. The origin is the middle of the foot, as for packings; for a ball it is the centre.
#pragma once

#include "engine/geometry/shape.hpp"

namespace talus {

template <int D>
Polytope<D> box_region_polytope(const Vec<D>& sides);

// A prism of 64 sides, upright.
Polytope<3> cylinder_region_polytope(double radius, double height);

// A polygon of 64 sides, or a polyhedron of 320 faces: an icosahedron with every face divided into
// 16.
template <int D>
Polytope<D> ball_region_polytope(double radius);

// Explicit specialisations, declared so that no use instantiates the template.
template <>
Polytope<2> ball_region_polytope<2>(double);
template <>
Polytope<3> ball_region_polytope<3>(double);

}  // namespace talus
