// SPDX-License-Identifier: Apache-2.0
// Surfaces of triangles as files give them: untrusted, so they are mended or refused before
// anything is made of them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/geometry/shape.hpp"

namespace talus {

struct TriangleSurface {
  std::vector<Vec<3>> vertices;               // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
  std::vector<int> number;                    // of each triangle, from 1, as its file counts
};

// What is wrong at a triangle of the file. Number 0: with the surface as a whole.
struct SurfaceFault {
  int number = 0;
  std::string what;

  std::string text() const;  // "triangle 17: …"
};

// What mending changed.
struct SurfaceRepair {
  int left_out = 0;       // triangles with two equal corners
  int turned = 0;         // triangles that ran the other way round than their neighbours
  bool inverted = false;  // the whole surface faced inwards

  std::string text() const;  // empty if nothing was changed
};

// For every edge of every triangle, from corner k to k + 1: the triangle beyond it, −1 where the
// surface ends.
using Neighbours = std::vector<std::array<int, 3>>;
Neighbours neighbours_of(const std::vector<std::array<int, 3>>& triangles);

// Joins vertices of equal coordinates, leaves out triangles with two equal corners and turns
// triangles so that neighbours agree, the fewer of each piece. Faults: a triangle whose corners lie
// on a line; an edge of three triangles or more; a piece with one side only (a Möbius strip).
std::optional<SurfaceFault> mend(TriangleSurface& surface, SurfaceRepair& repair);

// A mended surface as the boundary of a solid; one that faces inwards is inverted. Faults: it is
// open, it has several pieces, or an edge of one triangle passes through another triangle.
std::optional<SurfaceFault> close(TriangleSurface& surface, SurfaceRepair& repair);

double enclosed_volume(const TriangleSurface& surface);  // negative if it faces inwards

// Rounding of coordinates in single precision, as STL has them, relative to the extent: faces of a
// hull that are flat within this are one face.
inline constexpr double mesh_flatness = 1e-6;

// Hull of at most `most` of the points: of all if they are no more, otherwise grown from a
// tetrahedron by the vertex that lies farthest outside. It lies within the hull of all. Empty when
// degenerate.
std::optional<Polytope<3>> hull_of_few(const std::vector<Vec<3>>& points, std::size_t most);

}  // namespace talus
