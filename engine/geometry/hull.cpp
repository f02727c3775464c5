// SPDX-License-Identifier: Apache-2.0
// Convex hulls: monotone chain in the plane, incremental insertion in space. The hull of the given
// points is found with exact predicates, so rounding cannot tear its surface. Then faces that are
// coplanar and vertices that are collinear within the tolerance are merged.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/geometry/exact.hpp"
#include "engine/geometry/polytope.hpp"
#include "engine/geometry/shape.hpp"

namespace talus {

namespace {

template <int D>
double extent_of(const std::vector<Vec<D>>& points) {
  Vec<D> low = points.front(), high = points.front();
  for (const Vec<D>& x : points) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  return (high - low).norm();
}

template <int D>
bool all_finite(const std::vector<Vec<D>>& points) {
  return std::all_of(points.begin(), points.end(), [](const Vec<D>& x) { return x.allFinite(); });
}

// Distance of x from the line through a and b.
double distance_to_line(const Vec<2>& a, const Vec<2>& b, const Vec<2>& x) {
  const Vec<2> d = b - a;
  return std::abs(d[0] * (x[1] - a[1]) - d[1] * (x[0] - a[0])) / d.norm();
}
double distance_to_line(const Vec<3>& a, const Vec<3>& b, const Vec<3>& x) {
  return (b - a).cross(x - a).norm() / (b - a).norm();
}

bool lexicographic(const Vec<2>& a, const Vec<2>& b) {
  return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

// Andrew's monotone chain: strictly convex, counter-clockwise from the lowest point.
std::vector<Vec<2>> exact_hull(std::vector<Vec<2>> points) {
  std::sort(points.begin(), points.end(), lexicographic);
  std::vector<Vec<2>> hull;
  const auto extend = [&](const Vec<2>& x, std::size_t kept) {
    while (hull.size() > kept && orientation(hull[hull.size() - 2], hull.back(), x) <= 0) {
      hull.pop_back();
    }
    hull.push_back(x);
  };
  for (const Vec<2>& x : points) extend(x, 1);
  const std::size_t lower = hull.size();
  for (std::size_t i = points.size() - 1; i-- > 0;) extend(points[i], lower);
  hull.pop_back();  // the lowest point again
  return hull;
}

struct Triangle {
  std::array<int, 3> vertex;
  std::array<int, 3> neighbour;  // across the edge from vertex k to k + 1
  bool on_hull = true;
};

// Four points that are not coplanar, chosen by largest distances; negative entries if there are
// none.
std::array<int, 4> starting_tetrahedron(const std::vector<Vec<3>>& points, double flat) {
  std::array<int, 4> best = {0, -1, -1, -1};
  const auto farthest = [&](auto&& distance) {
    int index = -1;
    double most = flat;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double d = distance(points[i]);
      if (d > most) {
        most = d;
        index = static_cast<int>(i);
      }
    }
    return index;
  };
  const Vec<3>& a = points[0];
  best[1] = farthest([&](const Vec<3>& x) { return (x - a).norm(); });
  if (best[1] < 0) return best;
  const Vec<3>& b = points[static_cast<std::size_t>(best[1])];
  best[2] = farthest([&](const Vec<3>& x) { return distance_to_line(a, b, x); });
  if (best[2] < 0) return best;
  const Vec<3> n = (b - a).cross(points[static_cast<std::size_t>(best[2])] - a).normalized();
  best[3] = farthest([&](const Vec<3>& x) { return std::abs(n.dot(x - a)); });
  return best;
}

// Incremental insertion. The triangles visible from a new point are replaced by a cone from the
// point over their rim. Only strictly visible triangles count, so no triangle of zero area can
// arise.
std::vector<Triangle> exact_hull(const std::vector<Vec<3>>& points, std::array<int, 4> start) {
  const auto at = [&](int i) -> const Vec<3>& { return points[static_cast<std::size_t>(i)]; };
  if (orientation(at(start[0]), at(start[1]), at(start[2]), at(start[3])) > 0) {
    std::swap(start[1], start[2]);
  }
  // Now start[3] lies behind the triangle 0, 1, 2.
  const auto [a, b, c, d] = start;
  std::vector<Triangle> hull = {{{a, b, c}, {1, 2, 3}},
                                {{b, a, d}, {0, 3, 2}},
                                {{c, b, d}, {0, 1, 3}},
                                {{a, c, d}, {0, 2, 1}}};
  std::vector<int> rim_triangle(points.size(), -1);  // the new triangle whose rim edge starts here
  std::vector<char> seen;
  std::vector<int> added;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    if (std::find(start.begin(), start.end(), p) != start.end()) continue;
    seen.assign(hull.size(), 0);
    bool outside = false;
    for (std::size_t t = 0; t < hull.size(); ++t) {
      const auto& v = hull[t].vertex;
      if (hull[t].on_hull && orientation(at(v[0]), at(v[1]), at(v[2]), at(p)) > 0) {
        seen[t] = 1;
        outside = true;
      }
    }
    if (!outside) continue;

    added.clear();
    for (std::size_t t = 0; t < seen.size(); ++t) {
      if (!seen[t]) continue;
      hull[t].on_hull = false;
      for (std::size_t k = 0; k < 3; ++k) {
        const int beyond = hull[t].neighbour[k];
        if (seen[static_cast<std::size_t>(beyond)]) continue;
        const int from = hull[t].vertex[k], to = hull[t].vertex[(k + 1) % 3];
        const int fresh = static_cast<int>(hull.size());
        hull.push_back({{from, to, p}, {beyond, -1, -1}});
        for (std::size_t j = 0; j < 3; ++j) {
          Triangle& other = hull[static_cast<std::size_t>(beyond)];
          if (other.vertex[j] == to && other.vertex[(j + 1) % 3] == from)
            other.neighbour[j] = fresh;
        }
        rim_triangle[static_cast<std::size_t>(from)] = fresh;
        added.push_back(fresh);
      }
    }
    for (int t : added) {
      Triangle& triangle = hull[static_cast<std::size_t>(t)];
      const int next = rim_triangle[static_cast<std::size_t>(triangle.vertex[1])];
      triangle.neighbour[1] = next;
      hull[static_cast<std::size_t>(next)].neighbour[2] = t;
    }
  }
  return hull;
}

// Index of the face that each triangle belongs to, −1 if it is not on the hull. Starting with large
// triangles, a face collects the adjacent triangles that lie within `tolerance` of the plane of its
// first triangle.
std::vector<int> coplanar_groups(const std::vector<Vec<3>>& points,
                                 const std::vector<Triangle>& hull, double tolerance) {
  const auto at = [&](int i) -> const Vec<3>& { return points[static_cast<std::size_t>(i)]; };
  std::vector<Vec<3>> twice_area(hull.size());
  std::vector<int> order;
  for (std::size_t t = 0; t < hull.size(); ++t) {
    if (!hull[t].on_hull) continue;
    const auto& v = hull[t].vertex;
    twice_area[t] = (at(v[1]) - at(v[0])).cross(at(v[2]) - at(v[0]));
    order.push_back(static_cast<int>(t));
  }
  std::stable_sort(order.begin(), order.end(), [&](int s, int t) {
    return twice_area[static_cast<std::size_t>(s)].squaredNorm() >
           twice_area[static_cast<std::size_t>(t)].squaredNorm();
  });
  std::vector<int> group(hull.size(), -1);
  std::vector<int> front;
  int groups = 0;
  for (int first : order) {
    if (group[static_cast<std::size_t>(first)] >= 0) continue;
    const Vec<3> n = twice_area[static_cast<std::size_t>(first)].normalized();
    const Vec<3>& base = at(hull[static_cast<std::size_t>(first)].vertex[0]);
    group[static_cast<std::size_t>(first)] = groups;
    front = {first};
    while (!front.empty()) {
      const Triangle& triangle = hull[static_cast<std::size_t>(front.back())];
      front.pop_back();
      for (int t : triangle.neighbour) {
        const auto& v = hull[static_cast<std::size_t>(t)].vertex;
        const bool coplanar = std::all_of(
            v.begin(), v.end(), [&](int i) { return std::abs(n.dot(at(i) - base)) <= tolerance; });
        // A thin triangle at the rim may lie in the plane of the face on either side.
        if (group[static_cast<std::size_t>(t)] < 0 && coplanar) {
          group[static_cast<std::size_t>(t)] = groups;
          front.push_back(t);
        }
      }
    }
    ++groups;
  }
  return group;
}

// Vertex loops of the groups: their rims, without the vertices where only two groups meet.
std::vector<std::vector<int>> group_loops(const std::vector<Triangle>& hull,
                                          const std::vector<int>& group, std::size_t points) {
  const int groups = *std::max_element(group.begin(), group.end()) + 1;
  std::vector<std::vector<std::array<int, 2>>> rim(static_cast<std::size_t>(groups));
  std::vector<int> groups_at(points, 0);  // rim edges that start at a point: one per group there
  for (std::size_t t = 0; t < hull.size(); ++t) {
    if (group[t] < 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      if (group[static_cast<std::size_t>(hull[t].neighbour[k])] == group[t]) continue;
      const int from = hull[t].vertex[k], to = hull[t].vertex[(k + 1) % 3];
      rim[static_cast<std::size_t>(group[t])].push_back({from, to});
      ++groups_at[static_cast<std::size_t>(from)];
    }
  }
  std::vector<std::vector<int>> loops;
  std::vector<int> next(points, -1);
  for (const auto& edges : rim) {
    std::vector<int>& loop = loops.emplace_back();
    if (edges.empty()) continue;
    int first = edges[0][0];
    for (const auto& [from, to] : edges) {
      next[static_cast<std::size_t>(from)] = to;
      first = std::min(first, from);
    }
    int v = first;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (groups_at[static_cast<std::size_t>(v)] > 2) loop.push_back(v);
      v = next[static_cast<std::size_t>(v)];
    }
  }
  return loops;
}

}  // namespace

template <>
std::optional<Polytope<2>> convex_hull(const std::vector<Vec<2>>& points, double flatness) {
  if (points.size() < 3 || !all_finite<2>(points)) return std::nullopt;
  const double tolerance = flatness * extent_of<2>(points);
  std::vector<Vec<2>> hull = exact_hull(points);
  for (std::size_t i = 0; i < hull.size() && hull.size() >= 3;) {
    const std::size_t n = hull.size();
    if (distance_to_line(hull[(i + n - 1) % n], hull[(i + 1) % n], hull[i]) <= tolerance) {
      hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (hull.size() < 3) return std::nullopt;
  return polygon(std::move(hull));
}

template <>
std::optional<Polytope<3>> convex_hull(const std::vector<Vec<3>>& points, double flatness) {
  if (points.size() < 4 || !all_finite<3>(points)) return std::nullopt;
  const double tolerance = flatness * extent_of<3>(points);
  const std::array<int, 4> start = starting_tetrahedron(points, tolerance);
  if (start[3] < 0) return std::nullopt;
  const std::vector<Triangle> hull = exact_hull(points, start);
  const std::vector<int> group = coplanar_groups(points, hull, tolerance);
  std::vector<std::vector<int>> faces = group_loops(hull, group, points.size());

  std::vector<int> number(points.size(), -1);
  for (const auto& face : faces) {
    if (face.size() < 3) return std::nullopt;  // thinner than the tolerance somewhere
    for (int v : face) number[static_cast<std::size_t>(v)] = 0;
  }
  std::vector<Vec<3>> vertices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(vertices.size());
    vertices.push_back(points[i]);
  }
  for (auto& face : faces) {
    for (int& v : face) v = number[static_cast<std::size_t>(v)];
  }
  Polytope<3> result = polyhedron(std::move(vertices), std::move(faces));
  const auto euler = static_cast<std::ptrdiff_t>(result.vertices.size() + result.faces.size()) -
                     static_cast<std::ptrdiff_t>(result.edges.size());
  if (euler != 2) return std::nullopt;
  return result;
}

}  // namespace talus
