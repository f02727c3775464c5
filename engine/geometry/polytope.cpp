// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/polytope.hpp"

#include <algorithm>

namespace talus {

namespace {

template <int D>
void add_bounds(Polytope<D>& polytope) {
  polytope.centre.setZero();
  for (const Vec<D>& x : polytope.vertices) polytope.centre += x;
  polytope.centre /= static_cast<double>(polytope.vertices.size());
  polytope.radius = 0;
  for (const Vec<D>& x : polytope.vertices) {
    polytope.radius = std::max(polytope.radius, (x - polytope.centre).norm());
  }
}

}  // namespace

Polytope<2> polygon(std::vector<Vec<2>> vertices) {
  Polytope<2> result;
  const std::size_t n = vertices.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = (i + 1) % n;
    const Vec<2> along = vertices[next] - vertices[i];
    result.faces.push_back({static_cast<int>(i), static_cast<int>(next)});
    result.normals.push_back(Vec<2>(along[1], -along[0]).normalized());
    result.offsets.push_back(result.normals.back().dot(vertices[i]));
  }
  result.vertices = std::move(vertices);
  add_bounds(result);
  return result;
}

Polytope<3> polyhedron(std::vector<Vec<3>> vertices, std::vector<std::vector<int>> faces) {
  Polytope<3> result;
  struct HalfEdge {
    std::array<int, 2> edge;
    bool backward;
    int face;
    auto operator<=>(const HalfEdge&) const = default;
  };
  std::vector<HalfEdge> half_edges;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto& face = faces[f];
    const auto at = [&](std::size_t k) -> const Vec<3>& {
      return vertices[static_cast<std::size_t>(face[k % face.size()])];
    };
    // Newell's method: the vector area, which averages over vertices that are not quite coplanar.
    Vec<3> area = Vec<3>::Zero();
    for (std::size_t k = 0; k < face.size(); ++k) {
      area += (at(k) - at(0)).cross(at(k + 1) - at(0));
      const int from = face[k], to = face[(k + 1) % face.size()];
      half_edges.push_back(
          {{std::min(from, to), std::max(from, to)}, from > to, static_cast<int>(f)});
    }
    result.normals.push_back(area.normalized());
    double offset = 0;
    for (std::size_t k = 0; k < face.size(); ++k) offset += result.normals.back().dot(at(k));
    result.offsets.push_back(offset / static_cast<double>(face.size()));
  }
  std::sort(half_edges.begin(), half_edges.end());
  for (std::size_t i = 0; i + 1 < half_edges.size(); i += 2) {
    result.edges.push_back(half_edges[i].edge);
    result.edge_faces.push_back({half_edges[i].face, half_edges[i + 1].face});
  }
  result.vertices = std::move(vertices);
  result.faces = std::move(faces);
  add_bounds(result);
  return result;
}

template <>
Polytope<2> box(const Vec<2>& sides) {
  const double x = sides[0] / 2, y = sides[1] / 2;
  return polygon({{-x, -y}, {x, -y}, {x, y}, {-x, y}});
}

template <>
Polytope<3> box(const Vec<3>& sides) {
  std::vector<Vec<3>> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.push_back(Vec<3>(i & 1 ? sides[0] : -sides[0], i & 2 ? sides[1] : -sides[1],
                              i & 4 ? sides[2] : -sides[2]) /
                       2);
  }
  return polyhedron(
      std::move(vertices),
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

std::optional<Polytope<3>> prism(const std::vector<Vec<2>>& base, double height) {
  const std::optional<Polytope<2>> outline = convex_hull<2>(base);
  if (!outline || !(height > 0)) return std::nullopt;
  const auto& rim = outline->vertices;
  const int n = static_cast<int>(rim.size());
  std::vector<Vec<3>> vertices;
  std::vector<int> bottom, top;
  for (int i = 0; i < n; ++i) {
    const Vec<2>& x = rim[static_cast<std::size_t>(i)];
    vertices.emplace_back(x[0], x[1], -height / 2);
    bottom.push_back(n - 1 - i);
    top.push_back(n + i);
  }
  for (const Vec<2>& x : rim) vertices.emplace_back(x[0], x[1], height / 2);
  std::vector<std::vector<int>> faces = {bottom, top};
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    faces.push_back({i, next, n + next, n + i});
  }
  return polyhedron(std::move(vertices), std::move(faces));
}

}  // namespace talus
