// SPDX-License-Identifier: Apache-2.0
// Polytopes and capsules against each other, in the plane and in space: separating axis test (SAT)
// and contact manifold.
//
// The direction u of largest separation is found among the normals of faces and of pairs of edges.
// The contacts are the corners of the region where the cores face each other along u: a vertex of
// one over a face of the other, or two crossing edges. Each keeps the normal of the features it
// belongs to. So the set depends neither on the order of the two shapes nor on how nearly parallel
// two faces are.
#include <algorithm>
#include <limits>

#include "engine/detect/convex_core.hpp"

namespace talus {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A face is turned towards the other core if the cosine between its normal and u is at least this.
constexpr double facing_cosine = 0.95;

// ---- The axis

template <int D>
double lowest(std::span<const Vec<D>> points, const Vec<D>& n) {
  double least = infinity;
  for (const Vec<D>& x : points) least = std::min(least, n.dot(x));
  return least;
}

// Improves the axis by the face normals of `ref`; sign is +1 when they point from a to b. A later
// axis replaces an earlier one only when it is better by more than the tolerance.
template <int D>
bool improve_by_faces(const Core<D>& ref, const Core<D>& other, double sign,
                      const CorePair<D>& pair, CoreScratch<D>& scratch, SeparatingAxis<D>& axis) {
  for (std::size_t f = 0; f < ref.normals.size(); ++f) {
    const double separation = lowest<D>(other.vertices, ref.normals[f]) - ref.offsets[f];
    if (separation > pair.reach) return false;
    scratch.separations.push_back(separation);
    if (separation > axis.separation + pair.rounding) {
      const int face = static_cast<int>(f);
      axis = {sign * ref.normals[f], separation, sign > 0 ? face : -1, sign > 0 ? -1 : face};
    }
  }
  return true;
}

template <int D>
bool find_axis(const CorePair<D>& pair, CoreScratch<D>& scratch, SeparatingAxis<D>& axis) {
  scratch.separations.clear();
  if (!improve_by_faces<D>(pair.a, pair.b, 1, pair, scratch, axis)) return false;
  if (!improve_by_faces<D>(pair.b, pair.a, -1, pair, scratch, axis)) return false;
  if constexpr (D == 3) {
    return improve_by_edges(pair, scratch, axis);
  } else {
    return true;
  }
}

// Cores that just touch without facing features (corner at corner, edge along edge) have the same
// separation along several face normals. None of them is preferred: take their mean.
template <int D>
bool mean_of_tied_axes(const CorePair<D>& pair, const CoreScratch<D>& scratch, const Vec<D>& u,
                       Vec<D>& mean) {
  mean.setZero();
  bool apart = false;
  for (std::size_t k = 0; k < scratch.separations.size(); ++k) {
    if (std::abs(scratch.separations[k]) > pair.rounding) continue;
    const bool of_a = k < pair.a.normals.size();
    const Vec<D> n = of_a ? pair.a.normals[k] : Vec<D>(-pair.b.normals[k - pair.a.normals.size()]);
    mean += n;
    apart = apart || n.dot(u) < facing_cosine;
  }
  if (!apart) return false;
  mean.normalize();
  return true;
}

// ---- What faces what

// sign is +1 for a, which looks along u, and −1 for b. `limit` bounds sign·height from below.
template <int D>
void mark_near(const Core<D>& core, const Vec<D>& u, double sign, double limit,
               NearFeatures& near) {
  near.is_near.resize(core.vertices.size());
  near.vertices.clear();
  for (std::size_t i = 0; i < core.vertices.size(); ++i) {
    const bool is_near = sign * near.height[i] >= limit;
    near.is_near[i] = is_near;
    if (is_near) near.vertices.push_back(static_cast<int>(i));
  }
  near.is_facing.assign(core.normals.size(), 0);
  near.faces.clear();
  std::size_t most_facing = 0;
  double largest_cosine = -infinity;
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    const double cosine = sign * core.normals[f].dot(u);
    if (cosine > largest_cosine) {
      largest_cosine = cosine;
      most_facing = f;
    }
    near.is_facing[f] = cosine >= facing_cosine;
  }
  if (largest_cosine > 0) near.is_facing[most_facing] = 1;
  for (std::size_t f = 0; f < core.normals.size(); ++f) {
    if (near.is_facing[f]) near.faces.push_back(static_cast<int>(f));
  }
}

template <int D>
double measure_heights(const Core<D>& core, const Vec<D>& u, double sign, NearFeatures& near) {
  near.height.resize(core.vertices.size());
  double extreme = -infinity;
  for (std::size_t i = 0; i < core.vertices.size(); ++i) {
    near.height[i] = u.dot(core.vertices[i]);
    extreme = std::max(extreme, sign * near.height[i]);
  }
  return sign * extreme;
}

template <int D>
void find_near(const CorePair<D>& pair, const Vec<D>& u, CoreScratch<D>& scratch) {
  const double top_of_a = measure_heights<D>(pair.a, u, 1, scratch.near_a);
  const double bottom_of_b = measure_heights<D>(pair.b, u, -1, scratch.near_b);
  mark_near<D>(pair.a, u, 1, bottom_of_b - pair.reach - pair.lateral, scratch.near_a);
  mark_near<D>(pair.b, u, -1, -(top_of_a + pair.reach + pair.lateral), scratch.near_b);
}

// ---- Vertices over faces

}  // namespace

bool is_over(const Core<2>& core, int face, const Vec<2>& x, double lateral) {
  const auto f = static_cast<std::size_t>(face);
  const Vec<2>&p = core.vertices[f], &q = core.vertices[f + 1 < core.vertices.size() ? f + 1 : 0];
  const Vec<2> along(-core.normals[f][1], core.normals[f][0]);
  return along.dot(x - p) >= -lateral && along.dot(x - q) <= lateral;
}
bool is_over(const Core<3>& core, int face, const Vec<3>& x, double lateral) {
  const auto& loop = core.loops[static_cast<std::size_t>(face)];
  const Vec<3>& n = core.normal(face);
  int from = loop.back();
  for (int to : loop) {
    const Vec<3> outward = (core.vertex(to) - core.vertex(from)).cross(n);
    const double beyond = outward.dot(x - core.vertex(from));
    const double limit = lateral * std::abs(lateral) * outward.squaredNorm();
    if (beyond * std::abs(beyond) > limit) return false;  // beyond > lateral · ‖outward‖
    from = to;
  }
  return true;
}

namespace {

// Whether another contact with the same or a smaller gap lies on the same line along its normal. If
// the reach is larger than a body, vertices on its far side would give such farther contacts.
template <int D>
bool lies_behind_contact(const CoreScratch<D>& scratch, const Vec<D>& point, double gap,
                         double distance) {
  return std::any_of(scratch.contacts.begin(), scratch.contacts.end(), [&](const auto& c) {
    const Vec<D> d = point - c.point;
    return c.gap <= gap + distance &&
           (d - d.dot(c.normal) * c.normal).squaredNorm() <= distance * distance;
  });
}

// Near vertices of `other` over facing faces of `ref`. sign is +1 when ref is a.
template <int D>
void add_vertices_over_faces(const CorePair<D>& pair, const SeparatingAxis<D>& axis,
                             const Core<D>& ref, const Core<D>& other, const NearFeatures& near_ref,
                             const NearFeatures& near_other, double sign, CoreScratch<D>& scratch) {
  const Vec<D> u = sign * axis.u;  // out of ref
  const int axis_face = sign > 0 ? axis.face_a : axis.face_b;
  const bool overlap = axis.separation <= 0;  // then the face of the axis has priority
  const std::size_t before = scratch.contacts.size();
  for (int v : near_other.vertices) {
    const Vec<D>& x = other.vertex(v);
    int face = -1;
    double gap = -infinity;
    if (overlap && axis_face >= 0 && is_over(ref, axis_face, x, pair.lateral)) {
      face = axis_face;
      gap = ref.height_over(face, x);
    } else {
      for (int f : near_ref.faces) {
        const double height = ref.height_over(f, x);
        if (height > gap) {
          gap = height;
          face = f;
        }
      }
    }
    if (face < 0 || gap > pair.reach) continue;
    Vec<D> n = ref.normal(face);
    if (gap < axis.separation - pair.rounding) {
      if (axis.separation > 0) continue;  // closer than the cores: x is not over the face
      // Deeper than along u: separate along u instead.
      gap /= n.dot(u);
      n = u;
    }
    if (!is_over(ref, face, x - gap * n, pair.lateral)) continue;
    // Touching at the rim: the normal of the face may lie outside the normal cones of the rim and
    // the vertex; u does not.
    if (std::abs(gap) <= pair.lateral && !is_over(ref, face, x - gap * n, -pair.lateral)) {
      gap *= n.dot(u);
      n = u;
    }
    const Vec<D> point = x - gap / 2 * n;
    // A vertex of a at a vertex of b is one contact, not two.
    if (before > 0 && lies_behind_contact<D>(scratch, point, gap, 4 * pair.lateral)) continue;
    scratch.contacts.push_back({sign > 0 ? vertex_of_b(v) : vertex_of_a(v), gap, sign * n, point});
  }
}

// ---- Together

// Adds the contact of the features that define the axis, for cores that touch or overlap. Only
// called when all facing features lie within the tolerance of an end or a rim.
template <int D>
void add_axis_features(const CorePair<D>& pair, const SeparatingAxis<D>& axis,
                       CoreScratch<D>& scratch) {
  if constexpr (D == 3) {
    if (axis.edge_a >= 0) return add_axis_edges(pair, axis, scratch);
  }
  const bool of_a = axis.face_a >= 0;  // the face; the vertex is the other core's
  const auto& h = of_a ? scratch.near_b.height : scratch.near_a.height;
  const auto v =
      (of_a ? std::min_element(h.begin(), h.end()) : std::max_element(h.begin(), h.end())) -
      h.begin();
  const Vec<D>& x = (of_a ? pair.b : pair.a).vertices[static_cast<std::size_t>(v)];
  const double to_middle = (of_a ? -0.5 : 0.5) * axis.separation;
  const int number = static_cast<int>(v);
  scratch.contacts.push_back({of_a ? vertex_of_b(number) : vertex_of_a(number), axis.separation,
                              axis.u, x + to_middle * axis.u});
}

template <int D>
void find_core_contacts(const CorePair<D>& pair, CoreScratch<D>& scratch) {
  scratch.contacts.clear();
  SeparatingAxis<D> axis;
  if (!find_axis(pair, scratch, axis)) return;
  find_near(pair, axis.u, scratch);
  add_vertices_over_faces<D>(pair, axis, pair.a, pair.b, scratch.near_a, scratch.near_b, 1,
                             scratch);
  add_vertices_over_faces<D>(pair, axis, pair.b, pair.a, scratch.near_b, scratch.near_a, -1,
                             scratch);
  if constexpr (D == 3) add_edge_crossings(pair, axis, scratch);

  // No contact can be closer than the separation. If none is that close, separated cores are
  // closest between features that do not face each other.
  double least = infinity;
  for (const auto& contact : scratch.contacts) least = std::min(least, contact.gap);
  if (least > axis.separation + 2 * pair.lateral) {
    if (axis.separation > pair.lateral) {
      add_closest(pair, scratch);
    } else {
      add_axis_features(pair, axis, scratch);
    }
  }

  Vec<D> mean;
  if (std::abs(axis.separation) <= pair.rounding &&
      mean_of_tied_axes<D>(pair, scratch, axis.u, mean)) {
    for (auto& contact : scratch.contacts) contact.normal = mean;
  }
}

template <int D>
void find_contacts_of_cores(const PlacedShape<D>& a, const Core<D>& core_a, const PlacedShape<D>& b,
                            const Core<D>& core_b, double reach, ShapeContacts<D>& contacts) {
  static thread_local CoreScratch<D> scratch;
  const Mat<D> R = a.rotation.transpose() * b.rotation;
  const Vec<D> t = a.rotation.transpose() * (b.position - a.position);
  CorePair<D> pair;
  pair.a = core_a;
  pair.b = carried(core_b, R, t, scratch);
  pair.reach = reach + core_a.radius + core_b.radius;
  pair.lateral = 1e-7 * std::min(core_a.size, core_b.size);
  pair.rounding = 16 * std::numeric_limits<double>::epsilon() *
                  (a.position.norm() + b.position.norm() + t.norm() + core_a.size + core_b.size);
  pair.lateral = std::max(pair.lateral, pair.rounding);
  find_core_contacts(pair, scratch);

  for (const CoreContact<D>& c : scratch.contacts) {
    const double gap = c.gap - core_a.radius - core_b.radius;
    if (!(gap <= reach)) continue;
    const Vec<D> point = c.point + (core_a.radius - core_b.radius) / 2 * c.normal;
    contacts.push_back({c.feature, gap, a.rotation * c.normal, a.position + a.rotation * point});
  }
}

template <int D>
bool is_point(const Capsule<D>& capsule) {
  return capsule.ends[0] == capsule.ends[1];
}

}  // namespace

template <int D>
void polytope_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                       ShapeContacts<D>& contacts) {
  const auto &p = std::get<Polytope<D>>(*a.shape), &q = std::get<Polytope<D>>(*b.shape);
  const Vec<D> d = (b.position - a.position) + (b.rotation * q.centre - a.rotation * p.centre);
  const double largest = p.radius + q.radius + reach;
  if (d.squaredNorm() > largest * largest) return;
  find_contacts_of_cores<D>(a, core_of(p), b, core_of(q), reach, contacts);
}

template <int D>
void capsule_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                      ShapeContacts<D>& contacts) {
  const auto& capsule = std::get<Capsule<D>>(*a.shape);
  if (is_point(capsule)) {
    const Shape<D> ball = Ball<D>{capsule.radius, capsule.ends[0]};
    return ball_polytope<D>({&ball, a.position, a.rotation}, b, reach, contacts);
  }
  const SegmentCore<D> segment(capsule);
  find_contacts_of_cores<D>(a, segment.core(capsule.radius), b,
                            core_of(std::get<Polytope<D>>(*b.shape)), reach, contacts);
}

template <>
void capsule_capsule(const PlacedShape<2>& a, const PlacedShape<2>& b, double reach,
                     ShapeContacts<2>& contacts) {
  const auto &p = std::get<Capsule<2>>(*a.shape), &q = std::get<Capsule<2>>(*b.shape);
  if (is_point(p)) {
    const Shape<2> ball = Ball<2>{p.radius, p.ends[0]};
    return ball_capsule<2>({&ball, a.position, a.rotation}, b, reach, contacts);
  }
  if (is_point(q)) {
    const Shape<2> ball = Ball<2>{q.radius, q.ends[0]};
    const std::size_t first = contacts.size();
    ball_capsule<2>({&ball, b.position, b.rotation}, a, reach, contacts);
    for (std::size_t i = first; i < contacts.size(); ++i) contacts[i].normal *= -1;
    return;
  }
  const SegmentCore<2> segment_a(p), segment_b(q);
  find_contacts_of_cores<2>(a, segment_a.core(p.radius), b, segment_b.core(q.radius), reach,
                            contacts);
}

template void polytope_polytope(const PlacedShape<2>&, const PlacedShape<2>&, double,
                                ShapeContacts<2>&);
template void polytope_polytope(const PlacedShape<3>&, const PlacedShape<3>&, double,
                                ShapeContacts<3>&);
template void capsule_polytope(const PlacedShape<2>&, const PlacedShape<2>&, double,
                               ShapeContacts<2>&);
template void capsule_polytope(const PlacedShape<3>&, const PlacedShape<3>&, double,
                               ShapeContacts<3>&);

}  // namespace talus
