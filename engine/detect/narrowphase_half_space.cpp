// SPDX-License-Identifier: Apache-2.0
// Half-spaces against capsules and polytopes: every end or vertex within reach is a contact. Its
// index is the feature key.
#include "engine/detect/narrowphase_families.hpp"

namespace talus {

namespace {

// A half-space in the frame of the body of a shape.
template <int D>
struct SeenHalfSpace {
  Vec<D> normal;  // in the shape's frame
  double offset;
  Vec<D> world_normal;
};

template <int D>
SeenHalfSpace<D> seen_from(const PlacedShape<D>& shape, const PlacedShape<D>& placed) {
  const auto& half_space = std::get<HalfSpace<D>>(*placed.shape);
  const Vec<D> n = placed.rotation * half_space.normal;
  return {shape.rotation.transpose() * n,
          half_space.offset - n.dot(shape.position - placed.position), n};
}

// Contact of a point x of shape a, with a ball of the given radius about it.
template <int D>
void add_point(const PlacedShape<D>& a, const SeenHalfSpace<D>& plane, const Vec<D>& x,
               double radius, double reach, std::size_t number, ShapeContacts<D>& contacts) {
  const double gap = plane.normal.dot(x) - plane.offset - radius;
  if (!(gap <= reach)) return;
  contacts.push_back({number, gap, -plane.world_normal,
                      a.position + a.rotation * x - (radius + gap / 2) * plane.world_normal});
}

}  // namespace

template <int D>
void capsule_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                        ShapeContacts<D>& contacts) {
  const auto& capsule = std::get<Capsule<D>>(*a.shape);
  const SeenHalfSpace<D> plane = seen_from(a, b);
  const std::size_t ends = capsule.ends[0] == capsule.ends[1] ? 1 : 2;
  for (std::size_t k = 0; k < ends; ++k) {
    add_point<D>(a, plane, capsule.ends[k], capsule.radius, reach, k, contacts);
  }
}

template <int D>
void polytope_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         ShapeContacts<D>& contacts) {
  const auto& polytope = std::get<Polytope<D>>(*a.shape);
  const SeenHalfSpace<D> plane = seen_from(a, b);
  if (plane.normal.dot(polytope.centre) - polytope.radius - plane.offset > reach) return;
  for (std::size_t k = 0; k < polytope.vertices.size(); ++k) {
    add_point<D>(a, plane, polytope.vertices[k], 0, reach, k, contacts);
  }
}

template void capsule_half_space(const PlacedShape<2>&, const PlacedShape<2>&, double,
                                 ShapeContacts<2>&);
template void capsule_half_space(const PlacedShape<3>&, const PlacedShape<3>&, double,
                                 ShapeContacts<3>&);
template void polytope_half_space(const PlacedShape<2>&, const PlacedShape<2>&, double,
                                  ShapeContacts<2>&);
template void polytope_half_space(const PlacedShape<3>&, const PlacedShape<3>&, double,
                                  ShapeContacts<3>&);

}  // namespace talus
