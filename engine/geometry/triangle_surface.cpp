// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "engine/geometry/exact.hpp"
#include "engine/geometry/triangle_tree.hpp"

namespace talus {

namespace {

const Vec<3>& corner(const TriangleSurface& surface, std::size_t triangle, std::size_t k) {
  return surface.vertices[static_cast<std::size_t>(surface.triangles[triangle][k % 3])];
}

// Vertices of equal coordinates become one; vertices without a triangle are left out.
void join_vertices(TriangleSurface& surface) {
  const auto& x = surface.vertices;
  std::vector<int> order;
  std::vector<char> used(x.size(), 0);
  for (const auto& triangle : surface.triangles)
    for (const int v : triangle) used[static_cast<std::size_t>(v)] = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (used[i]) order.push_back(static_cast<int>(i));
  const auto point = [&](int i) -> const Vec<3>& { return x[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    for (int k = 0; k < 3; ++k)
      if (point(i)[k] != point(j)[k]) return point(i)[k] < point(j)[k];
    return i < j;
  });
  // The first of equal vertices stands for them.
  std::vector<int> representative(x.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_new = k == 0 || point(order[k]) != point(order[k - 1]);
    representative[static_cast<std::size_t>(order[k])] =
        is_new ? order[k] : representative[static_cast<std::size_t>(order[k - 1])];
  }
  std::vector<int> number(x.size(), -1);
  std::vector<Vec<3>> kept;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (representative[i] != static_cast<int>(i)) continue;
    number[i] = static_cast<int>(kept.size());
    kept.push_back(x[i]);
  }
  for (auto& triangle : surface.triangles)
    for (int& v : triangle)
      v = number[static_cast<std::size_t>(representative[static_cast<std::size_t>(v)])];
  surface.vertices = std::move(kept);
}

int leave_out_collapsed(TriangleSurface& surface) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto [a, b, c] = surface.triangles[t];
    if (a == b || b == c || c == a) continue;
    surface.triangles[kept] = surface.triangles[t];
    surface.number[kept++] = surface.number[t];
  }
  const auto left_out = static_cast<int>(surface.triangles.size() - kept);
  surface.triangles.resize(kept);
  surface.number.resize(kept);
  return left_out;
}

bool lies_on_a_line(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  const Vec<3> u = b - a, v = c - a;
  const double longest = std::max({u.norm(), v.norm(), (c - b).norm()});
  return !(u.cross(v).norm() > 64 * std::numeric_limits<double>::epsilon() * longest * longest);
}

struct HalfEdge {
  std::array<int, 2> edge;  // ascending
  int triangle;
  int side;       // from corner `side` to the next
  bool backward;  // from the greater vertex to the less
};

std::vector<HalfEdge> sorted_half_edges(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<HalfEdge> list;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = triangles[t][k], to = triangles[t][(k + 1) % 3];
      list.push_back({{std::min(from, to), std::max(from, to)},
                      static_cast<int>(t),
                      static_cast<int>(k),
                      from > to});
    }
  std::sort(list.begin(), list.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.triangle < b.triangle;
  });
  return list;
}

// Calls visit(first, last) for the half-edges of each edge.
template <class Visit>
void for_each_edge(const std::vector<HalfEdge>& list, Visit&& visit) {
  for (std::size_t i = 0, j; i < list.size(); i = j) {
    for (j = i + 1; j < list.size() && list[j].edge == list[i].edge;) ++j;
    visit(i, j);
  }
}

// Number of the piece of each triangle: what hangs together over edges.
std::vector<int> pieces_of(const Neighbours& beyond, int& pieces) {
  std::vector<int> piece(beyond.size(), -1);
  std::vector<int> front;
  pieces = 0;
  for (std::size_t first = 0; first < beyond.size(); ++first) {
    if (piece[first] >= 0) continue;
    piece[first] = pieces;
    front = {static_cast<int>(first)};
    while (!front.empty()) {
      const auto t = static_cast<std::size_t>(front.back());
      front.pop_back();
      for (const int next : beyond[t]) {
        if (next < 0 || piece[static_cast<std::size_t>(next)] >= 0) continue;
        piece[static_cast<std::size_t>(next)] = pieces;
        front.push_back(next);
      }
    }
    ++pieces;
  }
  return piece;
}

// Turns triangles of a piece so that neighbours pass their common edge in opposite directions.
std::optional<SurfaceFault> agree(TriangleSurface& surface, SurfaceRepair& repair) {
  const Neighbours beyond = neighbours_of(surface.triangles);
  const auto runs = [&](int t, int from, int to) {
    const auto& v = surface.triangles[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k)
      if (v[k] == from && v[(k + 1) % 3] == to) return true;
    return false;
  };
  std::vector<signed char> turn(beyond.size(), 0);  // 1: as given, −1: turned
  std::vector<int> members;
  for (std::size_t first = 0; first < beyond.size(); ++first) {
    if (turn[first] != 0) continue;
    turn[first] = 1;
    members = {static_cast<int>(first)};
    int turned = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int t = members[m];
      const auto& v = surface.triangles[static_cast<std::size_t>(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        const int next = beyond[static_cast<std::size_t>(t)][k];
        if (next < 0) continue;
        const bool same_way = runs(next, v[k], v[(k + 1) % 3]);
        const auto wanted = static_cast<signed char>(same_way ? -turn[static_cast<std::size_t>(t)]
                                                              : turn[static_cast<std::size_t>(t)]);
        signed char& given = turn[static_cast<std::size_t>(next)];
        if (given == 0) {
          given = wanted;
          turned += wanted < 0;
          members.push_back(next);
        } else if (given != wanted) {
          return SurfaceFault{surface.number[static_cast<std::size_t>(next)],
                              "no way round agrees with its neighbours: the surface has one side "
                              "only"};
        }
      }
    }
    const bool fewer = 2 * turned <= static_cast<int>(members.size());
    repair.turned += fewer ? turned : static_cast<int>(members.size()) - turned;
    for (const int t : members)
      if ((turn[static_cast<std::size_t>(t)] < 0) == fewer)
        std::swap(surface.triangles[static_cast<std::size_t>(t)][1],
                  surface.triangles[static_cast<std::size_t>(t)][2]);
  }
  return std::nullopt;
}

// Whether a segment passes through a triangle, its edges included; exact.
bool passes(const Vec<3>& p, const Vec<3>& q, const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
  const double before = orientation(a, b, c, p), after = orientation(a, b, c, q);
  if (!((before > 0 && after < 0) || (before < 0 && after > 0))) return false;
  const double ab = orientation(p, q, a, b), bc = orientation(p, q, b, c),
               ca = orientation(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

std::optional<SurfaceFault> self_intersection(const TriangleSurface& surface) {
  const TriangleTree tree(surface.vertices, surface.triangles);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = surface.triangles[t][k], to = surface.triangles[t][(k + 1) % 3];
      if (from > to) continue;  // the neighbour's turn
      const Vec<3>&p = corner(surface, t, k), &q = corner(surface, t, k + 1);
      std::optional<SurfaceFault> fault;
      tree.visit_near(p.cwiseMin(q), p.cwiseMax(q), [&](int other) {
        const auto o = static_cast<std::size_t>(other);
        const auto& v = surface.triangles[o];
        if (fault || std::any_of(v.begin(), v.end(), [&](int i) { return i == from || i == to; }))
          return;
        if (passes(p, q, corner(surface, o, 0), corner(surface, o, 1), corner(surface, o, 2)))
          fault = SurfaceFault{surface.number[t],
                               "passes through triangle " + std::to_string(surface.number[o])};
      });
      if (fault) return fault;
    }
  return std::nullopt;
}

}  // namespace

std::string SurfaceFault::text() const {
  return number > 0 ? "triangle " + std::to_string(number) + ": " + what : what;
}

std::string SurfaceRepair::text() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const auto counted = [](int n) {
    return std::to_string(n) + (n == 1 ? " triangle" : " triangles");
  };
  if (left_out > 0) add(counted(left_out) + " of two equal corners left out");
  if (turned > 0) add(counted(turned) + " turned round to agree with the neighbours");
  if (inverted) add("the surface faced inwards and was inverted");
  return text;
}

Neighbours neighbours_of(const std::vector<std::array<int, 3>>& triangles) {
  Neighbours beyond(triangles.size(), {-1, -1, -1});
  const std::vector<HalfEdge> list = sorted_half_edges(triangles);
  for_each_edge(list, [&](std::size_t first, std::size_t last) {
    if (last - first != 2) return;
    const HalfEdge &a = list[first], &b = list[first + 1];
    beyond[static_cast<std::size_t>(a.triangle)][static_cast<std::size_t>(a.side)] = b.triangle;
    beyond[static_cast<std::size_t>(b.triangle)][static_cast<std::size_t>(b.side)] = a.triangle;
  });
  return beyond;
}

std::optional<SurfaceFault> mend(TriangleSurface& surface, SurfaceRepair& repair) {
  join_vertices(surface);
  repair.left_out += leave_out_collapsed(surface);
  if (surface.triangles.empty()) return SurfaceFault{0, "holds no triangle with an area"};
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    if (lies_on_a_line(corner(surface, t, 0), corner(surface, t, 1), corner(surface, t, 2)))
      return SurfaceFault{surface.number[t], "is degenerate: its corners lie on a line"};
  const std::vector<HalfEdge> list = sorted_half_edges(surface.triangles);
  std::optional<SurfaceFault> fault;
  for_each_edge(list, [&](std::size_t first, std::size_t last) {
    if (last - first <= 2 || fault) return;
    fault = SurfaceFault{surface.number[static_cast<std::size_t>(list[first + 2].triangle)],
                         "shares an edge with triangles " +
                             std::to_string(surface.number[list[first].triangle]) + " and " +
                             std::to_string(surface.number[list[first + 1].triangle]) +
                             ": a surface has two at an edge"};
  });
  if (fault) return fault;
  return agree(surface, repair);
}

std::optional<SurfaceFault> close(TriangleSurface& surface, SurfaceRepair& repair) {
  const Neighbours beyond = neighbours_of(surface.triangles);
  for (std::size_t t = 0; t < beyond.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      if (beyond[t][k] < 0)
        return SurfaceFault{surface.number[t],
                            "has no neighbour at one of its edges: the surface is open"};
  int pieces = 0;
  const std::vector<int> piece = pieces_of(beyond, pieces);
  if (pieces > 1) {
    const auto second =
        static_cast<std::size_t>(std::find(piece.begin(), piece.end(), 1) - piece.begin());
    return SurfaceFault{surface.number[second], "begins the second of " + std::to_string(pieces) +
                                                    " separate surfaces: give each its own file"};
  }
  if (auto fault = self_intersection(surface)) return fault;
  if (enclosed_volume(surface) < 0) {
    for (auto& triangle : surface.triangles) std::swap(triangle[1], triangle[2]);
    repair.inverted = true;
  }
  return std::nullopt;
}

double enclosed_volume(const TriangleSurface& surface) {
  const Vec<3>& o = surface.vertices.front();
  double sum = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    sum += (corner(surface, t, 0) - o)
               .dot((corner(surface, t, 1) - o).cross(corner(surface, t, 2) - o));
  return sum / 6;
}

std::optional<Polytope<3>> hull_of_few(const std::vector<Vec<3>>& points, std::size_t most) {
  std::optional<Polytope<3>> whole = convex_hull<3>(points, mesh_flatness);
  if (!whole || whole->vertices.size() <= most) return whole;
  // The extreme points along the axes and the diagonals of the octants begin.
  const std::vector<Vec<3>>& all = whole->vertices;
  std::set<std::size_t> chosen;
  for (int k = 0; k < 6 && chosen.size() < 4; ++k) {
    const Vec<3> d = (k % 2 == 0 ? 1 : -1) * Vec<3>::Unit(k / 2);
    chosen.insert(static_cast<std::size_t>(
        std::max_element(all.begin(), all.end(),
                         [&](const Vec<3>& x, const Vec<3>& y) { return x.dot(d) < y.dot(d); }) -
        all.begin()));
  }
  for (std::size_t i = 0; i < all.size() && chosen.size() < 4; ++i) chosen.insert(i);
  std::optional<Polytope<3>> hull;
  while (true) {
    std::vector<Vec<3>> few;
    for (const std::size_t i : chosen) few.push_back(all[i]);
    hull = convex_hull<3>(few, mesh_flatness);
    if (chosen.size() >= most && hull) return hull;
    double farthest = -std::numeric_limits<double>::infinity();
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (chosen.contains(i)) continue;
      double outside = -std::numeric_limits<double>::infinity();
      if (hull) {
        for (std::size_t f = 0; f < hull->normals.size(); ++f)
          outside = std::max(outside, hull->normals[f].dot(all[i]) - hull->offsets[f]);
      } else {  // still flat: any other point
        outside = (all[i] - few.front()).norm();
      }
      if (outside > farthest) {
        farthest = outside;
        next = i;
      }
    }
    if (chosen.size() == all.size()) return whole;
    chosen.insert(next);
  }
}

}  // namespace talus
