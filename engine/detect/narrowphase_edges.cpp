// SPDX-License-Identifier: Apache-2.0
// Edges of cores in space: the axes normal to two of them, the contacts where they cross, and the
// closest points of cores whose closest features do not face each other.
#include <algorithm>
#include <limits>

#include "engine/detect/convex_core.hpp"
#include "engine/geometry/segment.hpp"

namespace talus {

namespace {

// Edges with a smaller sine of their angle are treated as parallel: their common normal is
// ill-defined.
constexpr double parallel_sine = 1e-6;

struct Sides {
  int left, right;
};
Sides sides(const Core<3>& core, std::size_t e) {
  return {core.edge_faces[e][0], core.edge_faces[e][1]};
}
bool has_faces(const Core<3>& core) { return !core.edge_faces.empty(); }

// n · e for every edge e of `edges_of` (row) and every face normal n of `faces_of` (column).
void measure(const Core<3>& edges_of, const Core<3>& faces_of, std::vector<double>& table) {
  table.clear();
  for (std::size_t e = 0; e < edges_of.edges.size(); ++e) {
    const Vec<3> along = edges_of.edge_vector(e);
    for (const Vec<3>& n : faces_of.normals) table.push_back(n.dot(along));
  }
}

// Normals of the left and right face of an edge, along an edge of the other core.
struct Slopes {
  double left, right;
  bool opposite() const { return left * right < 0; }
};
Slopes slopes(const Core<3>& core, std::size_t edge, const std::vector<double>& table,
              std::size_t other_edge) {
  const double* row = table.data() + other_edge * core.normals.size();
  return {row[core.edge_faces[edge][0]], row[core.edge_faces[edge][1]]};
}

Vec<3> outward_sum(const Core<3>& core, std::size_t e) {
  return core.normal(sides(core, e).left) + core.normal(sides(core, e).right);
}

// Whether the unit direction w leaves the normal cone of an edge. If so, `face` is the face at that
// end of the cone.
bool leaves_cone(const Core<3>& core, std::size_t e, const Vec<3>& w, int& face) {
  if (!has_faces(core)) return false;
  const auto [left, right] = sides(core, e);
  const Vec<3> turned = core.edge_vector(e).cross(w);
  // w · (n × e) is positive when w leans over the face on the left, w · (e × n) on the right.
  face = core.normal(left).dot(turned) > 0 ? left : core.normal(right).dot(turned) < 0 ? right : -1;
  return face >= 0;
}

// Whether an edge may cross an edge of the other core: both ends are near, or one is and the edge
// is on a facing face.
bool is_candidate(const Core<3>& core, const NearFeatures& near, std::size_t e) {
  const bool from = near.is_near[static_cast<std::size_t>(core.edges[e][0])];
  const bool to = near.is_near[static_cast<std::size_t>(core.edges[e][1])];
  if (from && to) return true;
  if ((!from && !to) || !has_faces(core)) return from || to;
  const auto [left, right] = sides(core, e);
  return near.is_facing[static_cast<std::size_t>(left)] ||
         near.is_facing[static_cast<std::size_t>(right)];
}

Segment<3> segment(const Core<3>& core, std::size_t e) {
  return {core.vertex(core.edges[e][0]), core.vertex(core.edges[e][1])};
}

}  // namespace

// An edge of a and an edge of b span a face of the Minkowski difference, so that their normal can
// be the axis, only when the arcs of their normal cones cross on the unit sphere (Gauss map of a
// and mirrored one of b). With L × R along each edge for its left and right normals, the arcs cross
// when the ends of each lie on either side of the other's plane, and on the same hemisphere.
bool improve_by_edges(const CorePair<3>& pair, CoreScratch<3>& scratch, SeparatingAxis<3>& axis) {
  const auto &a = pair.a, &b = pair.b;
  measure(a, b, scratch.edge_heights_a);
  measure(b, a, scratch.edge_heights_b);
  for (std::size_t i = 0; i < a.edges.size(); ++i) {
    const Vec<3> along_a = a.edge_vector(i);
    for (std::size_t j = 0; j < b.edges.size(); ++j) {
      Slopes of_a{}, of_b{};
      if (has_faces(a)) {
        of_a = slopes(a, i, scratch.edge_heights_b, j);
        if (!of_a.opposite()) continue;
      }
      if (has_faces(b)) {
        of_b = slopes(b, j, scratch.edge_heights_a, i);
        if (!of_b.opposite()) continue;
      }
      if (has_faces(a) && has_faces(b) && of_b.left * of_a.right >= 0) continue;

      const Vec<3> along_b = b.edge_vector(j);
      Vec<3> w = along_a.cross(along_b);
      const double squared = w.squaredNorm();
      if (squared <=
          parallel_sine * parallel_sine * along_a.squaredNorm() * along_b.squaredNorm()) {
        continue;
      }
      const double outward = has_faces(a) ? w.dot(outward_sum(a, i)) : -w.dot(outward_sum(b, j));
      w *= std::copysign(1 / std::sqrt(squared), outward);
      const double separation = w.dot(b.vertex(b.edges[j][0]) - a.vertex(a.edges[i][0]));
      if (separation > pair.reach) return false;
      if (separation > axis.separation + pair.lateral) {
        axis = {w, separation, -1, -1, static_cast<int>(i), static_cast<int>(j)};
      }
    }
  }
  return true;
}

namespace {

// Where two edges lie over each other along n: p.from + s·(p.to − p.from) + gap·n = q.from +
// t·(q.to − q.from). Nothing closer to an end than `lateral`: there the vertex is the contact.
struct Crossing {
  Vec<3> x, y;
  double gap;
};
bool cross_along(const Segment<3>& p, const Segment<3>& q, const Vec<3>& n, double lateral,
                 Crossing& found) {
  const Vec<3> u = p.to - p.from, v = q.to - q.from, d = q.from - p.from;
  const double length_u = u.norm(), length_v = v.norm(), volume = u.cross(v).dot(n);
  if (std::abs(volume) <= parallel_sine * length_u * length_v) return false;
  const double s = d.cross(v).dot(n) / volume, t = d.cross(u).dot(n) / volume;
  if (s * length_u <= lateral || (1 - s) * length_u <= lateral) return false;
  if (t * length_v <= lateral || (1 - t) * length_v <= lateral) return false;
  found.x = p.at(s);
  found.y = q.at(t);
  found.gap = n.dot(found.y - found.x);
  return true;
}

}  // namespace

void add_edge_crossings(const CorePair<3>& pair, const SeparatingAxis<3>& axis,
                        CoreScratch<3>& scratch) {
  const auto &a = pair.a, &b = pair.b;
  for (std::size_t i = 0; i < a.edges.size(); ++i) {
    if (!is_candidate(a, scratch.near_a, i)) continue;
    const Segment<3> p = segment(a, i);
    const Vec<3> along_a = p.to - p.from;
    for (std::size_t j = 0; j < b.edges.size(); ++j) {
      if (!is_candidate(b, scratch.near_b, j)) continue;
      const Segment<3> q = segment(b, j);
      const Vec<3> along_b = q.to - q.from;
      const Vec<3> across = along_a.cross(along_b);
      const double area = across.norm();
      if (area <= parallel_sine * along_a.norm() * along_b.norm()) continue;

      // The common normal of the edges, unless it leaves one of their normal cones. Then the normal
      // of the face where it does; of two such faces, the one with the smaller gap.
      Vec<3> n = across * std::copysign(1 / area, across.dot(axis.u));
      Crossing crossing;
      int face_a = -1, face_b = -1;
      const bool leaves_a = leaves_cone(a, i, n, face_a);
      const bool leaves_b = leaves_cone(b, j, -n, face_b);
      crossing.gap = std::numeric_limits<double>::infinity();
      if (!leaves_a && !leaves_b) {
        if (!cross_along(p, q, n, pair.lateral, crossing)) continue;
      } else {
        const auto try_normal = [&](const Vec<3>& normal) {
          Crossing other;
          if (cross_along(p, q, normal, pair.lateral, other) && other.gap < crossing.gap) {
            crossing = other;
            n = normal;
          }
        };
        if (leaves_a && scratch.near_a.is_facing[static_cast<std::size_t>(face_a)]) {
          try_normal(a.normal(face_a));
        }
        if (leaves_b && scratch.near_b.is_facing[static_cast<std::size_t>(face_b)]) {
          try_normal(-b.normal(face_b));
        }
      }
      if (crossing.gap < axis.separation - pair.rounding) {
        if (axis.separation > 0) continue;
        n = axis.u;  // deeper than along u: separate along u instead
        if (!cross_along(p, q, n, pair.lateral, crossing)) continue;
      }
      if (crossing.gap > pair.reach) continue;
      scratch.contacts.push_back(
          {edge_pair(i, j), crossing.gap, n, 0.5 * (crossing.x + crossing.y)});
    }
  }
}

void add_axis_edges(const CorePair<3>& pair, const SeparatingAxis<3>& axis,
                    CoreScratch<3>& scratch) {
  const auto i = static_cast<std::size_t>(axis.edge_a), j = static_cast<std::size_t>(axis.edge_b);
  const Segment<3> p = segment(pair.a, i), q = segment(pair.b, j);
  const auto [s, t] = closest_parameters(p, q);
  scratch.contacts.push_back({edge_pair(i, j), axis.separation, axis.u, 0.5 * (p.at(s) + q.at(t))});
}

void add_closest(const CorePair<2>& pair, CoreScratch<2>& scratch) {
  double least = pair.reach;
  int best_a = -1, best_b = -1;
  for (int i : scratch.near_a.vertices) {
    for (int j : scratch.near_b.vertices) {
      const double distance = (pair.b.vertex(j) - pair.a.vertex(i)).norm();
      if (distance <= least) {
        least = distance;
        best_a = i;
        best_b = j;
      }
    }
  }
  if (best_a < 0) return;
  const Vec<2>&x = pair.a.vertex(best_a), &y = pair.b.vertex(best_b);
  scratch.contacts.push_back({vertex_of_b(best_b), least, (y - x) / least, 0.5 * (x + y)});
}

void add_closest(const CorePair<3>& pair, CoreScratch<3>& scratch) {
  const auto &a = pair.a, &b = pair.b;
  const auto is_near = [](const Core<3>& core, const NearFeatures& near, std::size_t e) {
    return near.is_near[static_cast<std::size_t>(core.edges[e][0])] ||
           near.is_near[static_cast<std::size_t>(core.edges[e][1])];
  };
  const auto for_near_edges = [&](auto&& visit) {
    for (std::size_t i = 0; i < a.edges.size(); ++i) {
      if (!is_near(a, scratch.near_a, i)) continue;
      const Segment<3> p = segment(a, i);
      for (std::size_t j = 0; j < b.edges.size(); ++j) {
        if (is_near(b, scratch.near_b, j)) visit(i, j, p, segment(b, j));
      }
    }
  };
  double least = std::numeric_limits<double>::infinity();
  for_near_edges([&](std::size_t, std::size_t, const Segment<3>& p, const Segment<3>& q) {
    const auto [s, t] = closest_parameters(p, q);
    least = std::min(least, (q.at(t) - p.at(s)).norm());
  });
  if (least > pair.reach) return;

  // All ends of edges at that distance: for parallel edges, both ends of the interval they share.
  const std::size_t before = scratch.contacts.size();
  const auto add = [&](std::uint64_t feature, const Vec<3>& x, const Vec<3>& y) {
    const double distance = (y - x).norm();
    if (distance > least + pair.lateral) return;
    const Vec<3> point = 0.5 * (x + y);
    for (std::size_t k = before; k < scratch.contacts.size(); ++k) {
      if ((scratch.contacts[k].point - point).norm() <= 4 * pair.lateral) return;
    }
    scratch.contacts.push_back({feature, distance, (y - x) / distance, point});
  };
  for_near_edges([&](std::size_t i, std::size_t j, const Segment<3>& p, const Segment<3>& q) {
    for (int v : b.edges[j]) {
      add(vertex_of_b(v), p.at(closest_parameter<3>(p, b.vertex(v))), b.vertex(v));
    }
    for (int v : a.edges[i]) {
      add(vertex_of_a(v), a.vertex(v), q.at(closest_parameter<3>(q, a.vertex(v))));
    }
  });
  if (scratch.contacts.size() > before) return;
  for_near_edges([&](std::size_t i, std::size_t j, const Segment<3>& p, const Segment<3>& q) {
    const auto [s, t] = closest_parameters(p, q);
    add(edge_pair(i, j), p.at(s), q.at(t));
  });
}

}  // namespace talus
