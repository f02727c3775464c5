// SPDX-License-Identifier: Apache-2.0
// Walls of triangles against balls, capsules and polytopes, in the frame of the wall.
//
// Contacts are local minima of the distance between the two surfaces: a corner of the shape over a
// facet of the wall; a ridge (convex edge) or peak of the wall against a face, edge or corner of
// the shape, with a direction within the cone of normals of that ridge or peak. Flat and concave
// edges have no such cone, so that nothing catches on them. A facet is all triangles in one plane
// and gives its contacts one normal and one feature key: over a triangulated plane a body has the
// contacts it has over a half-space.
#include <algorithm>
#include <limits>

#include "engine/detect/convex_core.hpp"
#include "engine/geometry/segment.hpp"

namespace talus {

namespace {

using Side = TriangleMesh::Side;

// Sine by which a direction may leave a cone of normals.
constexpr double cone_tolerance = 1e-7;

// Between edges, a normal that leaves the cone by less than this (cosine) is replaced by that of
// the face where it leaves.
constexpr double near_face_cosine = 0.99;

// Depth behind facets of one corner, relative to the size of the shape, up to which all of them can
// be touched at once, as in the corner of a room.
constexpr double close_behind = 1e-3;

// Depth behind a ridge or peak, relative to the size of the shape, from which on it is one of the
// far side of the wall.
constexpr double deepest_ridge = 0.1;

struct MeshContact {
  std::uint64_t feature;
  double gap;
  Vec<3> normal, point;  // the normal out of the wall
};

struct MeshScratch {
  CoreScratch<3> core;
  std::vector<int> triangles, ridges, peaks;
  std::vector<MeshContact> contacts;
};

// Feature keys: a corner of the shape over a facet, a ridge and a corner or an edge of the shape,
// a peak. A ball's key does not change while it moves over a facet.
std::uint64_t corner_on_facet(std::size_t corner, int facet) {
  return std::uint64_t{1} << 62 | static_cast<std::uint64_t>(facet) << 31 | corner;
}
std::uint64_t ridge_and_corner(int ridge, std::size_t corner) {
  return std::uint64_t{2} << 62 | static_cast<std::uint64_t>(ridge) << 31 | corner;
}
std::uint64_t ridge_and_edge(int ridge, std::size_t edge) {
  return std::uint64_t{3} << 62 | static_cast<std::uint64_t>(ridge) << 31 | edge;
}
std::uint64_t peak_feature(int vertex) { return static_cast<std::uint64_t>(vertex); }

class MeshSearch {
 public:
  MeshSearch(const TriangleMesh& mesh, const Core<3>& core, double reach, double lateral,
             double rounding, MeshScratch& scratch)
      : mesh_(mesh),
        core_(core),
        reach_(reach),
        lateral_(lateral),
        rounding_(rounding),
        scratch_(scratch) {}

  void find() {
    scratch_.contacts.clear();
    if (!gather()) return;
    for (std::size_t v = 0; v < core_.vertices.size(); ++v)
      for (const int t : scratch_.triangles) corner_over_facet(v, t);
    for (const int r : scratch_.ridges) {
      for (std::size_t v = 0; v < core_.vertices.size(); ++v) corner_at_ridge(v, r);
      for (std::size_t e = 0; e < core_.edges.size(); ++e) edge_at_ridge(e, r);
    }
    for (const int v : scratch_.peaks) {
      if (core_.normals.empty()) {
        round_at_peak(v);
      } else if (!face_at_peak(v)) {
        edges_at_peak(v);
      }
    }
  }

 private:
  // Triangles near the shape, their ridges and peaks, each once and in ascending order.
  bool gather() {
    const double wide = core_.radius + reach_;
    Vec<3> low = core_.vertices[0], high = low;
    for (const Vec<3>& x : core_.vertices) {
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
    low.array() -= wide;
    high.array() += wide;
    auto& [core, triangles, ridges, peaks, contacts] = scratch_;
    triangles.clear();
    ridges.clear();
    peaks.clear();
    mesh_.tree.visit_near(low, high, [&, &near = triangles](int t) { near.push_back(t); });
    std::sort(triangles.begin(), triangles.end());
    for (const int t : triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const int r = mesh_.ridge_of[at(t)][k], v = mesh_.triangles[at(t)][k];
        if (r >= 0) ridges.push_back(r);
        if (mesh_.peak_start[at(v) + 1] > mesh_.peak_start[at(v)]) peaks.push_back(v);
      }
    for (auto* list : {&ridges, &peaks}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return !triangles.empty();
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // `distance` is that of the core, x its point.
  void add(std::uint64_t feature, double distance, const Vec<3>& normal, const Vec<3>& x) {
    const double gap = distance - core_.radius;
    if (!(gap <= reach_)) return;
    const Vec<3> point = x - (core_.radius + gap / 2) * normal;
    for (const MeshContact& c : scratch_.contacts)
      if (c.feature == feature || ((c.point - point).squaredNorm() <= 16 * lateral_ * lateral_ &&
                                   c.normal.dot(normal) > 1 - 1e-6))
        return;
    scratch_.contacts.push_back({feature, gap, normal, point});
  }

  // ---- Facets

  // Whether the foot of x lies on a triangle. Beyond a flat edge the neighbour takes over. Behind
  // the wall the places nearest to a facet end at the bisecting plane of a convex edge; and a point
  // that is also behind the other facet of a concave edge is still under this one.
  bool is_over_triangle(int t, const Vec<3>& x, double height) const {
    for (int k = 0; k < 3; ++k) {
      const Vec<3>&p = mesh_.corner(t, k), &q = mesh_.corner(t, k + 1);
      const Side side = mesh_.sides[at(t)][at(k)];
      const int beyond = mesh_.neighbours[at(t)][at(k)];
      Vec<3> up = mesh_.normals[at(t)];
      if (side == Side::flat) up += mesh_.normals[at(beyond)];
      const Vec<3> outward = (q - p).cross(up).normalized();
      double limit = lateral_;
      if (side == Side::convex && height < 0 && height < mesh_.height_over(beyond, x) - lateral_)
        return false;
      if (side == Side::concave) {
        const double other = mesh_.height_over(beyond, x);
        if (other < 0 && std::abs(height) - other < close_behind * core_.size)
          limit += 2 * (std::abs(height) - other);
      }
      if (outward.dot(x - p) > limit) return false;
    }
    return true;
  }

  // Whether another facet lies between a point behind facet t and its foot, as the upper side of a
  // plate does before the lower. The point may be behind the other facet, too, if less far.
  // Close behind facets with a common corner is_over_triangle decides.
  bool is_hidden(int t, const Vec<3>& x, double height) const {
    const Vec<3> foot = x - height * mesh_.normals[at(t)];
    const auto& mine = mesh_.triangles[at(t)];
    return std::any_of(scratch_.triangles.begin(), scratch_.triangles.end(), [&](int s) {
      const double before = mesh_.height_over(s, x), after = mesh_.height_over(s, foot);
      if (before < 0.5 * height || after >= 0) return false;
      for (const int v : mesh_.triangles[at(s)])
        if (height > -close_behind * core_.size &&
            std::find(mine.begin(), mine.end(), v) != mine.end())
          return false;
      const Vec<3> y = x + std::max(before, 0.0) / (std::max(before, 0.0) - after) * (foot - x);
      for (int k = 0; k < 3; ++k) {
        const Vec<3>&p = mesh_.corner(s, k), &q = mesh_.corner(s, k + 1);
        if ((q - p).cross(mesh_.normals[at(s)]).normalized().dot(y - p) > lateral_) return false;
      }
      return true;
    });
  }

  void corner_over_facet(std::size_t v, int t) {
    const Vec<3>& x = core_.vertices[v];
    const double height = mesh_.height_over(t, x);
    if (!(height <= core_.radius + reach_) || height < -2 * core_.size) return;
    if (!is_over_triangle(t, x, height) || (height < 0 && is_hidden(t, x, height))) return;
    add(corner_on_facet(v, mesh_.facet[at(t)]), height, mesh_.normals[at(t)], x);
  }

  // ---- Ridges and peaks

  bool in_cone(const TriangleMesh::Ridge& ridge, const Vec<3>& d) const {
    return ridge.first_side.dot(d) <= cone_tolerance && ridge.second_side.dot(d) <= cone_tolerance;
  }
  bool in_cone(int peak, const Vec<3>& d) const {
    const Vec<3>& v = mesh_.vertices[at(peak)];
    for (int k = mesh_.peak_start[at(peak)]; k < mesh_.peak_start[at(peak) + 1]; ++k) {
      const Vec<3> along = mesh_.vertices[at(mesh_.around[at(k)])] - v;
      if (along.dot(d) > cone_tolerance * along.norm()) return false;
    }
    return true;
  }

  // Whether the shape lies beyond its point x along d: a separated pair of closest points.
  bool supports(const Vec<3>& x, const Vec<3>& d) const {
    return std::all_of(core_.vertices.begin(), core_.vertices.end(),
                       [&](const Vec<3>& y) { return (y - x).dot(d) >= -lateral_; });
  }

  Segment<3> edge_of(const TriangleMesh::Ridge& ridge) const {
    return {mesh_.vertices[at(ridge.from)], mesh_.vertices[at(ridge.to)]};
  }

  void corner_at_ridge(std::size_t v, int r) {
    const TriangleMesh::Ridge& ridge = mesh_.ridges[at(r)];
    const Segment<3> edge = edge_of(ridge);
    const Vec<3>& x = core_.vertices[v];
    const double s = closest_parameter<3>(edge, x);
    if (!(s > 0 && s < 1)) return;
    const Vec<3> d = x - edge.at(s);
    const double distance = d.norm();
    if (!(distance > rounding_ && distance <= core_.radius + reach_)) return;
    const Vec<3> n = d / distance;
    if (in_cone(ridge, n) && supports(x, n)) add(ridge_and_corner(r, v), distance, n, x);
  }

  // Negative outside; of a capsule's axis, which has no inside, infinite.
  double depth_in_core(const Vec<3>& x) const {
    double depth = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < core_.normals.size(); ++f)
      depth = std::min(depth, -core_.height_over(static_cast<int>(f), x));
    return depth;
  }
  double depth_behind(const TriangleMesh::Ridge& ridge, const Vec<3>& x) const {
    const double depth = -mesh_.height_over(ridge.triangle, x);
    return ridge.beyond < 0 ? depth : std::min(depth, -mesh_.height_over(ridge.beyond, x));
  }

  // The face beside an edge of a polytope that looks against n most.
  int face_beside(std::size_t e, const Vec<3>& n) const {
    const auto [left, right] = core_.edge_faces[e];
    return core_.normal(left).dot(n) < core_.normal(right).dot(n) ? left : right;
  }

  void edge_at_ridge(std::size_t e, int r) {
    const TriangleMesh::Ridge& ridge = mesh_.ridges[at(r)];
    const Segment<3> p = edge_of(ridge),
                     q{core_.vertex(core_.edges[e][0]), core_.vertex(core_.edges[e][1])};
    const Vec<3> u = p.to - p.from, w = q.to - q.from;
    const double length_u = u.norm(), length_w = w.norm();
    Vec<3> n = u.cross(w);
    const double area = n.norm();
    if (!(area > 1e-6 * length_u * length_w)) return;
    const Vec<3> outward = -(ridge.first_side + ridge.second_side);
    const Vec<3>& top = mesh_.normals[at(ridge.triangle)];
    n *= std::copysign(1 / area, n.dot(outward + top * 1e-9));
    if (std::abs((q.from - p.from).dot(n)) > core_.radius + reach_ + core_.size) return;
    const bool leaves_ridge = !in_cone(ridge, n);
    bool overlapping_only = false;
    const auto leaves_core = [&](const Vec<3>& d) {
      if (core_.edge_faces.empty()) return false;
      const Vec<3> turned = w.cross(d) / length_w;  // as in leaves_cone, with −d
      return core_.normal(core_.edge_faces[e][0]).dot(turned) < -cone_tolerance ||
             core_.normal(core_.edge_faces[e][1]).dot(turned) > cone_tolerance;
    };
    if (leaves_ridge) {
      const bool first = ridge.first_side.dot(n) > cone_tolerance;
      if (!first && ridge.beyond < 0) return;
      const Vec<3>& face = mesh_.normals[at(first ? ridge.triangle : ridge.beyond)];
      overlapping_only = face.dot(n) < near_face_cosine;
      n = face;
    } else if (leaves_core(n)) {
      const Vec<3> face = -core_.normal(face_beside(e, n));
      overlapping_only = face.dot(n) < near_face_cosine;
      n = face;
    }
    // Points of the two edges on one line along n.
    const Vec<3> d = q.from - p.from;
    const double volume = u.cross(w).dot(n);
    if (!(std::abs(volume) > 1e-6 * length_u * length_w)) return;
    const double s = d.cross(w).dot(n) / volume, t = d.cross(u).dot(n) / volume;
    if (!(s * length_u > lateral_ && (1 - s) * length_u > lateral_)) return;
    if (!(t * length_w > lateral_ && (1 - t) * length_w > lateral_)) return;
    const double distance = n.dot(q.at(t) - p.at(s));
    if (distance < -deepest_ridge * core_.size) return;
    if (distance >= 0 && overlapping_only) return;
    // Two edges overlap where each passes through the other shape. Where one does so by a hundredth
    // of their distance only, there is a shorter way out.
    if (distance < 0 && std::min(depth_in_core(p.at(s)), depth_behind(ridge, q.at(t))) <
                            -0.01 * distance - lateral_)
      return;
    add(ridge_and_edge(r, e), distance, n, q.at(t));
  }

  // Balls and capsules.
  void round_at_peak(int v) {
    const Vec<3>& x = mesh_.vertices[at(v)];
    Vec<3> y = core_.vertices[0];
    if (!core_.edges.empty()) {
      const Segment<3> axis{core_.vertices[0], core_.vertices[1]};
      y = axis.at(closest_parameter<3>(axis, x));
    }
    const double distance = (y - x).norm();
    if (!(distance > rounding_ && distance <= core_.radius + reach_)) return;
    const Vec<3> n = (y - x) / distance;
    if (in_cone(v, n)) add(peak_feature(v), distance, n, y);
  }

  double highest_face(const Vec<3>& x, int& face) const {
    double height = -std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < core_.normals.size(); ++f)
      if (const double h = core_.height_over(static_cast<int>(f), x); h > height) {
        height = h;
        face = static_cast<int>(f);
      }
    return height;
  }

  // The highest face of a polytope that looks at the peak; if the peak is within the polytope and
  // no face looks at it, the nearest.
  bool face_at_peak(int v) {
    const Vec<3>& x = mesh_.vertices[at(v)];
    int face = -1;
    double height = -deepest_ridge * core_.size;
    for (std::size_t f = 0; f < core_.normals.size(); ++f) {
      const double h = core_.height_over(static_cast<int>(f), x);
      if (h > reach_) return true;  // out of reach, of its edges as well
      if (h > height && in_cone(v, -core_.normals[f]) &&
          is_over(core_, static_cast<int>(f), x, lateral_)) {
        height = h;
        face = static_cast<int>(f);
      }
    }
    if ((face < 0 || height < 0) && depth_in_core(x) < -lateral_) return false;
    if (face < 0) height = highest_face(x, face);
    if (height < -deepest_ridge * core_.size) return false;
    const Vec<3> n = -core_.normal(face);
    add(peak_feature(v), height, n, x + height * n);
    return true;
  }

  // The closest point of a polytope on its edges, where the two are apart.
  void edges_at_peak(int v) {
    const Vec<3>& x = mesh_.vertices[at(v)];
    double least = reach_;
    Vec<3> nearest = x;
    for (const auto& [from, to] : core_.edges) {
      const Segment<3> edge{core_.vertex(from), core_.vertex(to)};
      const Vec<3> y = edge.at(closest_parameter<3>(edge, x));
      const double distance = (y - x).norm();
      if (distance > rounding_ && distance < least) {
        least = distance;
        nearest = y;
      }
    }
    if (nearest == x) return;
    const Vec<3> n = (nearest - x) / least;
    if (in_cone(v, n) && supports(nearest, n)) add(peak_feature(v), least, n, nearest);
  }

  const TriangleMesh& mesh_;
  const Core<3>& core_;
  double reach_, lateral_, rounding_;
  MeshScratch& scratch_;
};

void find_mesh_contacts(const PlacedShape<3>& a, const Core<3>& own, const PlacedShape<3>& b,
                        double reach, ShapeContacts<3>& contacts) {
  static thread_local MeshScratch scratch;
  const auto& mesh = std::get<TriangleMesh>(*b.shape);
  const Mat<3> R = b.rotation.transpose() * a.rotation;
  const Vec<3> t = b.rotation.transpose() * (a.position - b.position);
  const Core<3> core = carried(own, R, t, scratch.core);
  const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                          (a.position.norm() + b.position.norm() + t.norm() + core.size +
                           mesh.low.cwiseAbs().cwiseMax(mesh.high.cwiseAbs()).norm());
  const double lateral = std::max(1e-7 * core.size, rounding);
  MeshSearch(mesh, core, reach, lateral, rounding, scratch).find();
  for (const MeshContact& c : scratch.contacts)
    contacts.push_back(
        {c.feature, c.gap, -(b.rotation * c.normal), b.position + b.rotation * c.point});
}

}  // namespace

template <>
void convex_mesh(const PlacedShape<3>& a, const PlacedShape<3>& b, double reach,
                 ShapeContacts<3>& contacts) {
  if (const auto* const polytope = std::get_if<Polytope<3>>(a.shape)) {
    find_mesh_contacts(a, core_of(*polytope), b, reach, contacts);
  } else if (const auto* const capsule = std::get_if<Capsule<3>>(a.shape);
             capsule != nullptr && capsule->ends[0] != capsule->ends[1]) {
    const SegmentCore<3> segment(*capsule);
    find_mesh_contacts(a, segment.core(capsule->radius), b, reach, contacts);
  } else {
    const auto* const ball = std::get_if<Ball<3>>(a.shape);
    Core<3> point;
    point.vertices = {capsule != nullptr ? &capsule->ends[0] : &ball->centre, 1};
    point.radius = point.size = capsule != nullptr ? capsule->radius : ball->radius;
    find_mesh_contacts(a, point, b, reach, contacts);
  }
}

}  // namespace talus
