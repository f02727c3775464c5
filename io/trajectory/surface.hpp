// SPDX-License-Identifier: Apache-2.0
// Polygon surfaces of shapes, for pictures. Polytopes are exact; round shapes are faceted;
// half-spaces become plates of finite size. Plane shapes lie flat in z = 0.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "engine/model/bodies.hpp"

namespace talus {

// Polygon k is the loop of vertices corner[start[k]] … corner[start[k + 1] − 1], counter-clockwise
// seen from outside (from +z in the plane).
struct Surface {
  std::vector<Vec<3>> vertices;  // body axes, from the mass centre [m]
  std::vector<int> corner;
  std::vector<int> start = {0};
  std::vector<int> part_start = {0};  // first vertex of each of the body's shapes, and an end

  std::size_t polygons() const { return start.size() - 1; }
};

// The distinct surfaces, and the surface of each body.
struct DrawnShapes {
  std::vector<Surface> surfaces;
  std::vector<int> surface_of;  // per body; −1: a sphere in space, drawn as a point with a diameter
};

// Half-spaces are drawn as plates that extend well beyond the present positions of the other
// bodies.
template <int D>
DrawnShapes draw_shapes(const Bodies<D>& bodies);

}  // namespace talus
