// SPDX-License-Identifier: Apache-2.0
// Polytopes and capsules as sphere-swept shapes: a convex core (polytope or segment), rounded by a
// radius. Contacts between two cores are found by the separating axis test (SAT), in the frame of
// body a.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/detect/narrowphase_families.hpp"

namespace talus {

// A core in some frame. A segment has no faces in space, and two opposite ones in the plane.
template <int D>
struct Core {
  std::span<const Vec<D>> vertices;
  std::span<const Vec<D>> normals;                 // of the faces
  std::span<const double> offsets;                 // normal · x on each face
  std::span<const std::vector<int>> loops;         // vertices of each face
  std::span<const std::array<int, 2>> edges;       // space only
  std::span<const std::array<int, 2>> edge_faces;  // space only: left, right; empty for a segment
  double radius = 0;                               // of the rounding
  double size = 0;                                 // bounding radius of the core

  const Vec<D>& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
  const Vec<D>& normal(int f) const { return normals[static_cast<std::size_t>(f)]; }
  double offset(int f) const { return offsets[static_cast<std::size_t>(f)]; }
  double height_over(int f, const Vec<D>& x) const { return normal(f).dot(x) - offset(f); }
  Vec<D> edge_vector(std::size_t e) const { return vertex(edges[e][1]) - vertex(edges[e][0]); }
};

// Separating axis: the direction u from a to b along which the cores are farthest apart or overlap
// least. It is normal to a face of one core, or to an edge of each.
template <int D>
struct SeparatingAxis {
  Vec<D> u = Vec<D>::Zero();
  double separation = -std::numeric_limits<double>::infinity();  // of the cores along u [m]
  int face_a = -1, face_b = -1, edge_a = -1, edge_b = -1;
};

// Features of a core that may touch: those within reach of the other core along u.
struct NearFeatures {
  std::vector<double> height;   // of every vertex along u
  std::vector<char> is_near;    // every vertex
  std::vector<int> vertices;    // near ones
  std::vector<char> is_facing;  // every face
  std::vector<int> faces;       // facing ones: faces turned towards the other core
};

// A contact of the cores, in a's frame.
template <int D>
struct CoreContact {
  std::uint64_t feature;
  double gap;  // of the cores
  Vec<D> normal, point;
};

template <int D>
struct CorePair {
  Core<D> a, b;
  double reach = 0;     // contacts with a larger distance of the cores are ignored
  double lateral = 0;   // tolerance: a point this far beside a face still counts as over it
  double rounding = 0;  // rounding error of coordinates
};

// Arrays reused from pair to pair.
template <int D>
struct CoreScratch {
  std::vector<Vec<D>> vertices, normals;  // of b in a's frame
  std::vector<double> offsets;
  std::vector<double> separations;  // along the face normals of a, then of b
  std::vector<double> edge_heights_a, edge_heights_b;
  NearFeatures near_a, near_b;
  std::vector<CoreContact<D>> contacts;
};

template <int D>
Core<D> core_of(const Polytope<D>& p) {
  return {p.vertices, p.normals, p.offsets, p.faces, p.edges, p.edge_faces, 0, p.radius};
}

// A capsule's segment. In the plane it is a polygon of two vertices.
template <int D>
struct SegmentCore {
  std::array<Vec<D>, 2> vertices;
  std::array<Vec<D>, 2> normals;
  std::array<double, 2> offsets;

  explicit SegmentCore(const Capsule<D>& capsule) : vertices(capsule.ends) {
    if constexpr (D == 2) {
      const Vec<2> along = (vertices[1] - vertices[0]).normalized();
      normals[0] = {along[1], -along[0]};
      normals[1] = -normals[0];
      for (std::size_t f = 0; f < 2; ++f) offsets[f] = normals[f].dot(vertices[f]);
    }
  }

  Core<D> core(double radius) const {
    static constexpr std::array<std::array<int, 2>, 1> edge = {{{0, 1}}};
    Core<D> result;
    result.vertices = vertices;
    if constexpr (D == 2) {
      result.normals = normals;
      result.offsets = offsets;
    } else {
      result.edges = edge;
    }
    result.radius = radius;
    result.size = (vertices[1] - vertices[0]).norm() / 2 + radius;
    return result;
  }
};

// The core of b in the frame of a, stored in the arrays of `scratch`.
template <int D>
Core<D> carried(const Core<D>& core, const Mat<D>& R, const Vec<D>& t, CoreScratch<D>& scratch) {
  scratch.vertices.resize(core.vertices.size());
  for (std::size_t i = 0; i < core.vertices.size(); ++i) {
    scratch.vertices[i] = R * core.vertices[i] + t;
  }
  scratch.normals.resize(core.normals.size());
  scratch.offsets.resize(core.normals.size());
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    scratch.normals[f] = R * core.normals[f];
    scratch.offsets[f] = core.offsets[f] + scratch.normals[f].dot(t);
  }
  Core<D> result = core;
  result.vertices = scratch.vertices;
  result.normals = scratch.normals;
  result.offsets = scratch.offsets;
  return result;
}

// Whether x lies over a face: its foot is on the face or at most `lateral` beside it.
bool is_over(const Core<2>& core, int face, const Vec<2>& x, double lateral);
bool is_over(const Core<3>& core, int face, const Vec<3>& x, double lateral);

// Feature keys of contacts: a vertex of b on a, a vertex of a on b, an edge of each.
inline std::uint64_t vertex_of_b(int v) {
  return std::uint64_t{1} << 62 | static_cast<unsigned>(v);
}
inline std::uint64_t vertex_of_a(int v) {
  return std::uint64_t{2} << 62 | static_cast<unsigned>(v);
}
inline std::uint64_t edge_pair(std::size_t e, std::size_t f) {
  return std::uint64_t{3} << 62 | static_cast<std::uint64_t>(e) << 31 | f;
}

// Tries the axes normal to an edge of each core. Returns false if one of them separates the cores
// by more than the reach.
bool improve_by_edges(const CorePair<3>& pair, CoreScratch<3>& scratch, SeparatingAxis<3>& axis);

// Contacts where an edge of a crosses an edge of b.
void add_edge_crossings(const CorePair<3>& pair, const SeparatingAxis<3>& axis,
                        CoreScratch<3>& scratch);

// The contact of the two edges the axis is normal to.
void add_axis_edges(const CorePair<3>& pair, const SeparatingAxis<3>& axis,
                    CoreScratch<3>& scratch);

// Adds contacts at the closest points of separated cores that are neither on a face nor on crossing
// edges: vertex against vertex, vertex against edge, or parallel edges.
void add_closest(const CorePair<2>& pair, CoreScratch<2>& scratch);
void add_closest(const CorePair<3>& pair, CoreScratch<3>& scratch);

}  // namespace talus
