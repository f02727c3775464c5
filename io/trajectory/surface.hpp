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

enum class Drawn { mesh, walls };  // free bodies; fixed and driven bodies

// The distinct surfaces, and the surface of each body.
struct DrawnShapes {
  std::vector<Surface> surfaces;
  std::vector<int> surface_of;  // per body; −1: a sphere in space, drawn as a point with a diameter
  std::vector<char> is_wall;    // per body

  // The surface of a body if it belongs to this part, otherwise −1.
  int surface(std::size_t body, Drawn part) const {
    return (part == Drawn::walls) == (is_wall[body] != 0) ? surface_of[body] : -1;
  }
};

// Half-spaces are drawn as plates a little larger than the other bodies in their present positions.
// Plates end where they meet: five half-spaces around a packing give an open box.
template <int D>
DrawnShapes draw_shapes(const Bodies<D>& bodies);

}  // namespace talus
