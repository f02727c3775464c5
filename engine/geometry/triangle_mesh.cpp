// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/triangle_mesh.hpp"

#include <algorithm>

#include "engine/geometry/triangle_surface.hpp"

namespace talus {

namespace {

// Triangles within this of a plane, relative to the extent and the distance from the origin, lie in
// it: the rounding of coordinates in single precision.
constexpr double same_plane = 1e-7;

// Facets grow from their first triangle over neighbours whose corners lie in its plane.
void find_facets(TriangleMesh& mesh, double tolerance) {
  const std::size_t n = mesh.triangles.size();
  mesh.facet.assign(n, -1);
  mesh.normals.resize(n);
  mesh.offsets.resize(n);
  std::vector<int> front;
  for (std::size_t first = 0; first < n; ++first) {
    if (mesh.facet[first] >= 0) continue;
    const int f = static_cast<int>(first);
    const Vec<3>&a = mesh.corner(f, 0), &b = mesh.corner(f, 1), &c = mesh.corner(f, 2);
    const Vec<3> normal = (b - a).cross(c - a).normalized();
    const double offset = (normal.dot(a) + normal.dot(b) + normal.dot(c)) / 3;
    front = {f};
    mesh.facet[first] = f;
    while (!front.empty()) {
      const auto t = static_cast<std::size_t>(front.back());
      front.pop_back();
      mesh.normals[t] = normal;
      mesh.offsets[t] = offset;
      for (const int next : mesh.neighbours[t]) {
        if (next < 0 || mesh.facet[static_cast<std::size_t>(next)] >= 0) continue;
        bool in_plane = true;
        for (int k = 0; k < 3; ++k)
          in_plane = in_plane && std::abs(normal.dot(mesh.corner(next, k)) - offset) <= tolerance;
        const Vec<3>&p = mesh.corner(next, 0), &q = mesh.corner(next, 1), &r = mesh.corner(next, 2);
        if (!in_plane || !((q - p).cross(r - p).dot(normal) > 0)) continue;
        mesh.facet[static_cast<std::size_t>(next)] = f;
        front.push_back(next);
      }
    }
  }
}

// Unit vector in the plane of a triangle, across its side k and into it.
Vec<3> into(const TriangleMesh& mesh, int triangle, int k) {
  const Vec<3> along = mesh.corner(triangle, k + 1) - mesh.corner(triangle, k);
  return mesh.normals[static_cast<std::size_t>(triangle)].cross(along).normalized();
}

void find_sides(TriangleMesh& mesh, double tolerance) {
  using Side = TriangleMesh::Side;
  const std::size_t n = mesh.triangles.size();
  mesh.sides.assign(n, {Side::flat, Side::flat, Side::flat});
  mesh.ridge_of.assign(n, {-1, -1, -1});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const int t = static_cast<int>(i), side = static_cast<int>(k), g = mesh.neighbours[i][k];
      if (g >= 0 && mesh.facet[i] == mesh.facet[static_cast<std::size_t>(g)]) continue;
      const int from = mesh.triangles[i][k], to = mesh.triangles[i][(k + 1) % 3];
      TriangleMesh::Ridge ridge{from, to, into(mesh, t, side), -mesh.normals[i], t, g};
      Side kind = Side::border;
      if (g >= 0) {
        const auto& v = mesh.triangles[static_cast<std::size_t>(g)];
        int there = 0;  // the side of g that runs the other way
        while (v[static_cast<std::size_t>(there)] != to) ++there;
        const double over = mesh.height_over(t, mesh.corner(g, there + 2));
        const double under = mesh.height_over(g, mesh.corner(t, side + 2));
        kind = std::min(over, under) < -tolerance  ? Side::convex
               : std::max(over, under) > tolerance ? Side::concave
                                                   : Side::flat;
        ridge.second_side = into(mesh, g, there);
        if (kind == Side::convex && t > g) {  // found from the other triangle
          for (std::size_t j = 0; j < 3; ++j)
            if (mesh.neighbours[static_cast<std::size_t>(g)][j] == t && v[j] == to)
              mesh.ridge_of[i][k] = mesh.ridge_of[static_cast<std::size_t>(g)][j];
          mesh.sides[i][k] = kind;
          continue;
        }
      }
      mesh.sides[i][k] = kind;
      if (kind != Side::convex && kind != Side::border) continue;
      mesh.ridge_of[i][k] = static_cast<int>(mesh.ridges.size());
      mesh.ridges.push_back(ridge);
    }
}

void find_peaks(TriangleMesh& mesh) {
  std::vector<char> is_peak(mesh.vertices.size(), 0);
  for (const auto& ridge : mesh.ridges)
    for (const int v : {ridge.from, ridge.to}) is_peak[static_cast<std::size_t>(v)] = 1;
  std::vector<std::array<int, 2>> pairs;
  for (const auto& triangle : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 1; j < 3; ++j)
        if (is_peak[static_cast<std::size_t>(triangle[k])])
          pairs.push_back({triangle[k], triangle[(k + j) % 3]});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  mesh.peak_start.assign(mesh.vertices.size() + 1, 0);
  for (const auto& [v, w] : pairs) {
    ++mesh.peak_start[static_cast<std::size_t>(v) + 1];
    mesh.around.push_back(w);
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    mesh.peak_start[v + 1] += mesh.peak_start[v];
}

}  // namespace

TriangleMesh triangle_mesh(std::vector<Vec<3>> vertices,
                           std::vector<std::array<int, 3>> triangles) {
  TriangleMesh mesh;
  mesh.vertices = std::move(vertices);
  mesh.triangles = std::move(triangles);
  mesh.neighbours = neighbours_of(mesh.triangles);
  mesh.low = mesh.high = mesh.vertices.front();
  for (const Vec<3>& x : mesh.vertices) {
    mesh.low = mesh.low.cwiseMin(x);
    mesh.high = mesh.high.cwiseMax(x);
  }
  const double tolerance = same_plane * ((mesh.high - mesh.low).norm() +
                                         mesh.low.cwiseAbs().cwiseMax(mesh.high.cwiseAbs()).norm());
  find_facets(mesh, tolerance);
  find_sides(mesh, tolerance);
  find_peaks(mesh);
  mesh.tree = TriangleTree(mesh.vertices, mesh.triangles);
  return mesh;
}

}  // namespace talus
