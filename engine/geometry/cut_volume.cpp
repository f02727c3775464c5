// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/cut_volume.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {

namespace {

// An edge (of a polygon or triangle) relative to a point in its plane. The line of the edge is at
// `distance` from the point in the direction of the unit vector `outward`. The edge runs from
// `first` to `last` along `along`, both measured from the foot of the perpendicular.
template <int D>
struct EdgeView {
  Vec<D> outward, along;
  double distance = 0, first = 0, last = 0;
};

// The right-angled cone between the perpendicular of length e > 0 and the ray to the point t of the
// line, cut by a disk of radius R about its apex: up to t_a along the line, then along the arc.
double end_of_chord(double e, double t, double R) {
  const double half_chord_squared = (R - e) * (R + e);
  if (half_chord_squared <= 0) return 0;
  return std::copysign(std::min(std::abs(t), std::sqrt(half_chord_squared)), t);
}

double sector_angle(double e, double t, double t_a) {
  return std::atan2(t, e) - std::atan2(t_a, e);
}

// Area of the part of that triangle within the disk.
double disk_piece(double e, double t, double R) {
  const double t_a = end_of_chord(e, t, R);
  return e * t_a / 2 + R * R / 2 * sector_angle(e, t, t_a);
}

// Area and first moment of the polygon within the disk: the sum of these pieces over its edges.
struct DiskMoments {
  double area = 0;
  Vec<2> first = Vec<2>::Zero();

  void add(const EdgeView<2>& edge, double R) {
    if (edge.distance == 0) return;
    const double sign = edge.distance > 0 ? 1 : -1, e = std::abs(edge.distance);
    const auto add_up_to = [&](double t, double s) {
      const double t_a = end_of_chord(e, t, R);
      area += s * disk_piece(e, t, R);
      const double r = std::hypot(e, t), r_a = std::hypot(e, t_a), arc = R * R * R / 3;
      const double outward = e * e * t_a / 3 + arc * (t / r - t_a / r_a);
      const double along = e * t_a * t_a / 6 + arc * (e / r_a - e / r);
      first += s * (outward * sign * edge.outward + along * edge.along);
    };
    add_up_to(edge.last, sign);
    add_up_to(edge.first, -sign);
  }
};

// The right-angled tetrahedron over that triangle, with its apex at height d > 0 over the plane,
// cut by a ball of radius R about the apex. Integrates min(R, ray)³/3 over the solid angle.
double ball_piece(double d, double e, double t, double R) {
  const double R3 = R * R * R / 3;
  const double rim_squared = (R - d) * (R + d);  // of the disk in which the ball meets the plane
  const double t_a = rim_squared > 0 ? end_of_chord(e, t, std::sqrt(rim_squared)) : 0;
  const double outer = rim_squared > 0 ? d * (3 * R * R - d * d) / 6 : R3;
  const auto solid = [&](double s) {
    return std::atan2(d * s, e * std::sqrt(d * d + e * e + s * s));
  };
  return d * e * t_a / 6 + outer * sector_angle(e, t, t_a) - R3 * (solid(t) - solid(t_a));
}

EdgeView<2> seen_from(const Vec<2>& centre, const Vec<2>& p, const Vec<2>& q) {
  const double length = (q - p).norm();
  if (!(length > 0)) return {Vec<2>::Zero(), Vec<2>::Zero()};
  const Vec<2> along = (q - p) / length, outward(along[1], -along[0]);
  return {outward, along, outward.dot(p - centre), along.dot(p - centre), along.dot(q - centre)};
}

double ball_cone(const Vec<2>& centre, double radius, const Simplex<2>& edge) {
  const EdgeView<2> view = seen_from(centre, edge[0], edge[1]);
  const double e = std::abs(view.distance);
  if (e == 0) return 0;
  const double area = disk_piece(e, view.last, radius) - disk_piece(e, view.first, radius);
  return view.distance > 0 ? area : -area;
}

double ball_cone(const Vec<3>& centre, double radius, const Simplex<3>& triangle) {
  const Vec<3> area = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double size = area.norm();
  if (!(size > 0)) return 0;
  const Vec<3> n = area / size;
  const double height = n.dot(triangle[0] - centre), d = std::abs(height);
  if (d == 0) return 0;
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec<3>&p = triangle[k], &q = triangle[(k + 1) % 3];
    const double length = (q - p).norm();
    if (!(length > 0)) continue;
    const Vec<3> along = (q - p) / length;
    const double distance = along.cross(n).dot(p - centre), e = std::abs(distance);
    if (e == 0) continue;
    const double piece = ball_piece(d, e, along.dot(q - centre), radius) -
                         ball_piece(d, e, along.dot(p - centre), radius);
    sum += distance > 0 ? piece : -piece;
  }
  return height > 0 ? sum : -sum;
}

template <int D>
Vec<D> crossing_point(const Vec<D>& in, double s_in, const Vec<D>& out, double s_out) {
  return in + s_in / (s_in - s_out) * (out - in);
}

// Cuts simplices one by one. The cut surface, which closes the boundary again, is a fan from the
// first point found in it. Its pieces may come in any order.
struct Cutter2 {
  Boundary<2>& kept;
  Vec<2> apex = Vec<2>::Zero();
  bool has_apex = false;

  void add(const Simplex<2>& edge, const std::array<double, 2>& s) {
    const bool leaves = s[0] <= 0;
    const Vec<2> x = leaves ? crossing_point<2>(edge[0], s[0], edge[1], s[1])
                            : crossing_point<2>(edge[1], s[1], edge[0], s[0]);
    if (!has_apex) apex = x;
    has_apex = true;
    if (leaves) {
      kept.push_back({edge[0], x});
      kept.push_back({x, apex});
    } else {
      kept.push_back({x, edge[1]});
      kept.push_back({apex, x});
    }
  }
};

struct Cutter3 {
  Boundary<3>& kept;
  Vec<3> apex = Vec<3>::Zero();
  bool has_apex = false;

  void add(const Simplex<3>& triangle, const std::array<double, 3>& s) {
    // Rotate the vertices so that the first one is alone on its side.
    std::size_t k = 0;
    while ((s[k] <= 0) == (s[(k + 1) % 3] <= 0) || (s[k] <= 0) == (s[(k + 2) % 3] <= 0)) ++k;
    const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
    const Vec<3>&a = triangle[k], &b = triangle[l], &c = triangle[m];
    const bool alone_in = s[k] <= 0;
    const Vec<3> ab =
        alone_in ? crossing_point<3>(a, s[k], b, s[l]) : crossing_point<3>(b, s[l], a, s[k]);
    const Vec<3> ac =
        alone_in ? crossing_point<3>(a, s[k], c, s[m]) : crossing_point<3>(c, s[m], a, s[k]);
    if (!has_apex) apex = ab;
    has_apex = true;
    if (alone_in) {
      kept.push_back({a, ab, ac});
      kept.push_back({apex, ac, ab});
    } else {
      kept.push_back({b, c, ac});
      kept.push_back({b, ac, ab});
      kept.push_back({apex, ab, ac});
    }
  }
};

// Position of a shape relative to the region, from its extent [low, high] along each normal.
enum class Place { outside, inside, across };

template <int D, class Reach>
Place place_of(const Polytope<D>& region, Reach reach) {
  Place place = Place::inside;
  for (std::size_t f = 0; f < region.normals.size(); ++f) {
    const auto [low, high] = reach(region.normals[f]);
    if (low >= region.offsets[f]) return Place::outside;
    if (high > region.offsets[f]) place = Place::across;
  }
  return place;
}

template <int D>
double part_within(const CutRegion<D>& region, const Ball<D>& ball, const Vec<D>& translation,
                   const Mat<D>& R, CutScratch<D>&) {
  const Vec<D> centre = R * ball.centre + translation;
  const Place place = place_of<D>(region.polytope, [&](const Vec<D>& n) {
    const double x = n.dot(centre);
    return std::array{x - ball.radius, x + ball.radius};
  });
  if (place == Place::outside) return 0;
  if (place == Place::inside) return mass_properties<D>(Shape<D>(ball)).volume;
  return ball_volume<D>(centre, ball.radius, region.boundary);
}

// A capsule is two half balls and the part between their planes.
template <int D>
double part_within(const CutRegion<D>& region, const Capsule<D>& capsule, const Vec<D>& translation,
                   const Mat<D>& R, CutScratch<D>& scratch) {
  const std::array<Vec<D>, 2> ends = {R * capsule.ends[0] + translation,
                                      R * capsule.ends[1] + translation};
  const double r = capsule.radius;
  const Place place = place_of<D>(region.polytope, [&](const Vec<D>& n) {
    const auto [low, high] = std::minmax({n.dot(ends[0]), n.dot(ends[1])});
    return std::array{low - r, high + r};
  });
  if (place == Place::outside) return 0;
  if (place == Place::inside) return mass_properties<D>(Shape<D>(capsule)).volume;
  const double length = (ends[1] - ends[0]).norm();
  if (!(length > 0)) return ball_volume<D>(ends[0], r, region.boundary);
  const Vec<D> axis = (ends[1] - ends[0]) / length;
  Boundary<D>& part = scratch.boundary;
  const auto cut_region = [&](const Vec<D>& normal, const Vec<D>& point) {
    part = region.boundary;
    cut<D>(normal, normal.dot(point), part, scratch.work);
  };
  cut_region(axis, ends[0]);
  double sum = ball_volume<D>(ends[0], r, part);
  cut_region(-axis, ends[1]);
  sum += ball_volume<D>(ends[1], r, part);
  cut_region(axis, ends[1]);
  cut<D>(-axis, -axis.dot(ends[0]), part, scratch.work);
  return sum + cylinder_volume<D>(ends[0], axis, r, part);
}

template <int D>
double part_within(const CutRegion<D>& region, const Polytope<D>& polytope,
                   const Vec<D>& translation, const Mat<D>& R, CutScratch<D>& scratch) {
  Boundary<D>& part = scratch.boundary;
  part.clear();
  append_boundary<D>(polytope, translation, R, part);
  for (std::size_t f = 0; f < region.polytope.normals.size(); ++f)
    cut<D>(region.polytope.normals[f], region.polytope.offsets[f], part, scratch.work);
  return volume<D>(part);
}

template <int D>
double part_within(const CutRegion<D>& region, const HalfSpace<D>& half_space,
                   const Vec<D>& translation, const Mat<D>& R, CutScratch<D>& scratch) {
  const Vec<D> normal = R * half_space.normal;
  scratch.boundary = region.boundary;
  cut<D>(normal, half_space.offset + normal.dot(translation), scratch.boundary, scratch.work);
  return volume<D>(scratch.boundary);
}

// A wall of triangles is a surface: it fills nothing.
template <int D>
double part_within(const CutRegion<D>&, const TriangleMesh&, const Vec<D>&, const Mat<D>&,
                   CutScratch<D>&) {
  return 0;
}

}  // namespace

template <>
void append_boundary<2>(const Polytope<2>& polytope, const Vec<2>& translation, const Mat<2>& R,
                        Boundary<2>& boundary) {
  const std::size_t n = polytope.vertices.size();
  for (std::size_t i = 0; i < n; ++i)
    boundary.push_back(
        {R * polytope.vertices[i] + translation, R * polytope.vertices[(i + 1) % n] + translation});
}

template <>
void append_boundary<3>(const Polytope<3>& polytope, const Vec<3>& translation, const Mat<3>& R,
                        Boundary<3>& boundary) {
  for (const std::vector<int>& face : polytope.faces) {
    const auto corner = [&](std::size_t k) -> Vec<3> {
      return R * polytope.vertices[static_cast<std::size_t>(face[k])] + translation;
    };
    for (std::size_t k = 1; k + 1 < face.size(); ++k)
      boundary.push_back({corner(0), corner(k), corner(k + 1)});
  }
}

template <int D>
void cut(const Vec<D>& normal, double offset, Boundary<D>& boundary, Boundary<D>& removed) {
  const auto height = [&](const Vec<D>& x) { return normal.dot(x) - offset; };
  const bool touches =
      std::any_of(boundary.begin(), boundary.end(), [&](const Simplex<D>& simplex) {
        return std::any_of(simplex.begin(), simplex.end(),
                           [&](const Vec<D>& x) { return height(x) > 0; });
      });
  if (!touches) return;
  std::swap(boundary, removed);
  boundary.clear();
  std::conditional_t<D == 2, Cutter2, Cutter3> cutter{boundary};
  for (const Simplex<D>& simplex : removed) {
    std::array<double, D> s;
    int inside = 0;
    for (std::size_t k = 0; k < D; ++k) {
      s[k] = height(simplex[k]);
      inside += s[k] <= 0;
    }
    if (inside == D)
      boundary.push_back(simplex);
    else if (inside > 0)
      cutter.add(simplex, s);
  }
}

template <int D>
double volume(std::span<const Simplex<D>> boundary) {
  if (boundary.empty()) return 0;
  const Vec<D> apex = boundary.front()[0];
  double sum = 0;
  for (const Simplex<D>& simplex : boundary) {
    Mat<D> edges;
    for (int k = 0; k < D; ++k) edges.col(k) = simplex[static_cast<std::size_t>(k)] - apex;
    sum += edges.determinant();
  }
  return sum / (D == 2 ? 2 : 6);
}

template <int D>
double ball_volume(const Vec<D>& centre, double radius, std::span<const Simplex<D>> boundary) {
  double sum = 0;
  for (const Simplex<D>& simplex : boundary) sum += ball_cone(centre, radius, simplex);
  return sum;
}

// ∫ y dx along the boundary is −area; with y held to the strip, −area within it.
template <>
double cylinder_volume<2>(const Vec<2>& point, const Vec<2>& axis, double radius,
                          std::span<const Simplex<2>> boundary) {
  const Vec<2> across(-axis[1], axis[0]);
  // ∫ of clamp(y) from y = 0: what y ↦ clamp(y, −radius, radius) sweeps.
  const auto swept = [&](double y) {
    const double inner = std::clamp(y, -radius, radius);
    return inner * inner / 2 + radius * (std::abs(y) - std::abs(inner));
  };
  double sum = 0;
  for (const Simplex<2>& edge : boundary) {
    const double x_0 = axis.dot(edge[0] - point), x_1 = axis.dot(edge[1] - point);
    const double y_0 = across.dot(edge[0] - point), y_1 = across.dot(edge[1] - point);
    const double rise = std::abs(y_1 - y_0);
    const double mean = rise > 1e-8 * (std::abs(x_1 - x_0) + rise)
                            ? (swept(y_1) - swept(y_0)) / (y_1 - y_0)
                            : std::clamp((y_0 + y_1) / 2, -radius, radius);
    sum -= (x_1 - x_0) * mean;
  }
  return sum;
}

// Each triangle bounds, against the plane through `point`, a column of height z over the part of
// its shadow that lies in the disk: ∫ z dA of a linear z, with the sign of the way it faces.
template <>
double cylinder_volume<3>(const Vec<3>& point, const Vec<3>& axis, double radius,
                          std::span<const Simplex<3>> boundary) {
  const Mat<3> frame = frame_of_normal<3>(axis);
  double sum = 0;
  for (const Simplex<3>& triangle : boundary) {
    std::array<Vec<2>, 3> shadow;
    for (std::size_t k = 0; k < 3; ++k)
      shadow[k] = {frame.col(1).dot(triangle[k] - point), frame.col(2).dot(triangle[k] - point)};
    const Vec<3> n =
        frame.transpose() * (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
    if (!(std::abs(n[0]) > 1e-8 * n.norm())) continue;
    DiskMoments moments;
    for (std::size_t k = 0; k < 3; ++k)
      moments.add(seen_from(Vec<2>::Zero(), shadow[k], shadow[(k + 1) % 3]), radius);
    const Vec<2> slope = -n.tail<2>() / n[0];
    const double z_0 = axis.dot(triangle[0] - point) - slope.dot(shadow[0]);
    sum += z_0 * moments.area + slope.dot(moments.first);
  }
  return sum;
}

template <int D>
CutRegion<D>::CutRegion(const Polytope<D>& region) : polytope(region) {
  append_boundary<D>(region, Vec<D>::Zero(), Mat<D>::Identity(), boundary);
  volume = talus::volume<D>(boundary);
}

template <int D>
bool CutRegion<D>::contains(const Vec<D>& x) const {
  for (std::size_t f = 0; f < polytope.normals.size(); ++f)
    if (polytope.normals[f].dot(x) > polytope.offsets[f]) return false;
  return true;
}

template <int D>
auto CutRegion<D>::inside(const Vec<D>& from, const Vec<D>& to) const -> Interval {
  Interval interval;
  for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
    const double s_from = polytope.normals[f].dot(from) - polytope.offsets[f];
    const double s_to = polytope.normals[f].dot(to) - polytope.offsets[f];
    if (s_from <= 0 && s_to <= 0) continue;
    if (s_from > 0 && s_to > 0) return {0, 0};
    const double at = s_from / (s_from - s_to);
    if (s_from > 0)
      interval.first = std::max(interval.first, at);
    else
      interval.last = std::min(interval.last, at);
  }
  return interval;
}

template <int D>
double volume_within(const CutRegion<D>& region, const Shape<D>& shape, const Vec<D>& translation,
                     const Mat<D>& R, CutScratch<D>& scratch) {
  return std::visit(
      [&](const auto& s) { return part_within<D>(region, s, translation, R, scratch); }, shape);
}

#define TALUS_INSTANTIATE(D)                                                            \
  template void cut<D>(const Vec<D>&, double, Boundary<D>&, Boundary<D>&);              \
  template double volume<D>(std::span<const Simplex<D>>);                               \
  template double ball_volume<D>(const Vec<D>&, double, std::span<const Simplex<D>>);   \
  template struct CutRegion<D>;                                                         \
  template double volume_within<D>(const CutRegion<D>&, const Shape<D>&, const Vec<D>&, \
                                   const Mat<D>&, CutScratch<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
