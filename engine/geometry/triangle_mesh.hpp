// SPDX-License-Identifier: Apache-2.0
// A wall of triangles: the surface of a fixed or driven body, open or closed. Bodies are on the
// side from which its triangles run counter-clockwise.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/triangle_tree.hpp"
#include "solvers/math/vec.hpp"

namespace talus {

struct TriangleMesh {
  std::vector<Vec<3>> vertices;               // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside

  // Derived. A facet is a set of connected triangles in one plane, which share normal and offset to
  // the bit; it is named by its first triangle.
  std::vector<Vec<3>> normals;  // of each triangle's facet
  std::vector<double> offsets;  // normal · x
  std::vector<int> facet;       // of each triangle
  enum class Side : unsigned char { flat, convex, concave, border };
  std::vector<std::array<Side, 3>> sides;      // from corner k to k + 1
  std::vector<std::array<int, 3>> neighbours;  // beyond each side; −1 at the border

  // What can touch a face or an edge of another body: convex edges and borders, and their ends.
  struct Ridge {
    int from, to;        // as its first triangle passes it
    Vec<3> first_side;   // unit, across the edge into the first triangle, in its plane
    Vec<3> second_side;  // into the second; at a border the first normal reversed
    int triangle;        // the first
    int beyond;          // the second, or −1
  };
  std::vector<Ridge> ridges;
  std::vector<std::array<int, 3>> ridge_of;  // of each side of each triangle; −1: none
  // Vertices that end a ridge, with the vertices around them.
  std::vector<int> peak_start;  // per vertex, into around; size vertices + 1; empty: no peak
  std::vector<int> around;

  TriangleTree tree;
  Vec<3> low = Vec<3>::Zero(), high = Vec<3>::Zero();  // bounding box

  const Vec<3>& corner(int triangle, int k) const {
    return vertices[static_cast<std::size_t>(
        triangles[static_cast<std::size_t>(triangle)][static_cast<std::size_t>(k % 3)])];
  }
  double height_over(int triangle, const Vec<3>& x) const {
    return normals[static_cast<std::size_t>(triangle)].dot(x) -
           offsets[static_cast<std::size_t>(triangle)];
  }
};

// From a mended surface (triangle_surface.hpp).
TriangleMesh triangle_mesh(std::vector<Vec<3>> vertices, std::vector<std::array<int, 3>> triangles);

}  // namespace talus
