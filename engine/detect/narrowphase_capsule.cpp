// SPDX-License-Identifier: Apache-2.0
// Two capsules in space. (In the plane they are rounded polygons of two vertices.)
#include <limits>

#include "engine/detect/narrowphase_families.hpp"
#include "engine/geometry/segment.hpp"

namespace talus {

namespace {

// Feature keys: the closest points of the axes, an end of a against b, an end of b against a.
constexpr std::uint64_t crossing = 0, end_of_a = 1, end_of_b = 3;

// Direction to separate two axes that intersect: normal to both, pointing from the middle of a to
// that of b.
Vec<3> direction_across(const Segment<3>& a, const Segment<3>& b) {
  const Vec<3> u = a.to - a.from, v = b.to - b.from;
  Vec<3> n = u.cross(v);
  if (n.squaredNorm() <= 1e-12 * u.squaredNorm() * v.squaredNorm()) {
    const Vec<3>& longer = u.squaredNorm() >= v.squaredNorm() ? u : v;
    n = longer.squaredNorm() > 0 ? Vec<3>(frame_of_normal<3>(longer.normalized()).col(1))
                                 : Vec<3>(Vec<3>::Unit(0));
  }
  n.normalize();
  return n.dot(b.at(0.5) - a.at(0.5)) < 0 ? Vec<3>(-n) : n;
}

}  // namespace

// The closest points of the axes give one contact. An end that lies beside the other axis gives
// another: parallel capsules touch at both ends of the interval they share. Then the closest
// points, which are not unique, add nothing.
template <>
void capsule_capsule(const PlacedShape<3>& a, const PlacedShape<3>& b, double reach,
                     ShapeContacts<3>& contacts) {
  const auto &capsule_a = std::get<Capsule<3>>(*a.shape),
             &capsule_b = std::get<Capsule<3>>(*b.shape);
  const Vec<3> between = b.position - a.position;
  const Segment<3> p{a.rotation * capsule_a.ends[0], a.rotation * capsule_a.ends[1]};
  const Segment<3> q{between + b.rotation * capsule_b.ends[0],
                     between + b.rotation * capsule_b.ends[1]};
  const double radii = capsule_a.radius + capsule_b.radius;
  const double length_a = (p.to - p.from).norm(), length_b = (q.to - q.from).norm();
  const double size = radii + length_a + length_b;
  const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                          (size + a.position.norm() + b.position.norm() + between.norm());

  const auto [s, t] = closest_parameters(p, q);
  const double closest = (q.at(t) - p.at(s)).norm();
  if (!(closest - radii <= reach)) return;
  const std::size_t first = contacts.size();
  const auto add = [&](std::uint64_t feature, const Vec<3>& x, const Vec<3>& y) {
    const double distance = (y - x).norm(), gap = distance - radii;
    if (!(gap <= reach)) return;
    const Vec<3> n = distance > rounding ? Vec<3>((y - x) / distance) : direction_across(p, q);
    contacts.push_back({feature, gap, n, a.position + x + (capsule_a.radius + gap / 2) * n});
  };

  // Ends that lie beside the other axis.
  const double tolerance = 1e-7 * radii + rounding;
  double least = std::numeric_limits<double>::infinity();
  std::array<double, 2> beside_b;  // parameters along b that already have a contact
  std::size_t places = 0;
  for (std::size_t k = 0; k < 2 && length_a > 0; ++k) {
    const Vec<3>& x = k == 0 ? p.from : p.to;
    const double along = length_b > 0 ? (x - q.from).dot(q.to - q.from) / length_b : 0;
    if (along < -tolerance || along > length_b + tolerance) continue;
    const Vec<3> y = q.at(closest_parameter(q, x));
    add(end_of_a + k, x, y);
    beside_b[places++] = along;
    least = std::min(least, (y - x).norm());
  }
  for (std::size_t k = 0; k < 2 && length_b > 0; ++k) {
    const Vec<3>& y = k == 0 ? q.from : q.to;
    const double along = length_a > 0 ? (y - p.from).dot(p.to - p.from) / length_a : 0;
    if (along < -tolerance || along > length_a + tolerance) continue;
    const double place = k == 0 ? 0 : length_b;
    bool taken = false;
    for (std::size_t j = 0; j < places; ++j) {
      taken = taken || std::abs(beside_b[j] - place) <= 4 * tolerance;
    }
    if (taken) continue;
    const Vec<3> x = p.at(closest_parameter(p, y));
    add(end_of_b + k, x, y);
    least = std::min(least, (y - x).norm());
  }
  if (contacts.size() == first || least > closest + tolerance) add(crossing, p.at(s), q.at(t));
}

}  // namespace talus
