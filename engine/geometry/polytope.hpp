// SPDX-License-Identifier: Apache-2.0
// Polytopes from their vertices and faces; normals and edges are derived here.
#pragma once

#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

// From vertices in strictly convex position, counter-clockwise.
Polytope<2> polygon(std::vector<Vec<2>> vertices);

// From faces given as vertex loops, counter-clockwise seen from outside. Edges come in ascending
// order; the first face of an edge is the one whose loop passes it from its first vertex to its
// second.
Polytope<3> polyhedron(std::vector<Vec<3>> vertices, std::vector<std::vector<int>> faces);

}  // namespace talus
