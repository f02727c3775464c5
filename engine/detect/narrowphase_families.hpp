// SPDX-License-Identifier: Apache-2.0
// The functions of the table in narrowphase.cpp: one per pair of shape families, in the order of
// Shape<D>. Contacts are appended; normals point from a to b.
#pragma once

#include <cmath>

#include "engine/detect/narrowphase.hpp"

namespace talus {

template <int D>
using ShapeContacts = std::vector<ShapeContact<D>>;

// A point with a radius: a ball or a point.
template <int D>
struct Globe {
  Vec<D> centre;
  double radius;
};

// Contact of two balls. Concentric balls are separated along the first axis.
template <int D>
bool touch(const Globe<D>& a, const Globe<D>& b, double reach, ShapeContact<D>& contact) {
  const Vec<D> d = b.centre - a.centre;
  const double radii = a.radius + b.radius, largest = radii + reach;
  const double squared = d.squaredNorm();
  if (!(squared <= largest * largest) || largest < 0) return false;
  const double distance = std::sqrt(squared);
  contact.gap = distance - radii;
  contact.normal = distance > 0 ? Vec<D>(d / distance) : Vec<D>(Vec<D>::Unit(0));
  contact.point = a.centre + (a.radius + contact.gap / 2) * contact.normal;
  return true;
}

template <int D>
void ball_ball(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach, ShapeContacts<D>&);
template <int D>
void ball_capsule(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                  ShapeContacts<D>&);
template <int D>
void ball_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                   ShapeContacts<D>&);
template <int D>
void ball_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                     ShapeContacts<D>&);
template <int D>
void capsule_capsule(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                     ShapeContacts<D>&);
template <int D>
void capsule_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                      ShapeContacts<D>&);
template <int D>
void capsule_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                        ShapeContacts<D>&);
template <int D>
void polytope_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                       ShapeContacts<D>&);
template <int D>
void polytope_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         ShapeContacts<D>&);

template <int D>
void convex_mesh(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach, ShapeContacts<D>&);

// Explicit specialisations, declared so that no use instantiates the template.
template <>
void capsule_capsule(const PlacedShape<2>&, const PlacedShape<2>&, double, ShapeContacts<2>&);
template <>
void capsule_capsule(const PlacedShape<3>&, const PlacedShape<3>&, double, ShapeContacts<3>&);
template <>
inline void convex_mesh(const PlacedShape<2>&, const PlacedShape<2>&, double, ShapeContacts<2>&) {}
template <>
void convex_mesh(const PlacedShape<3>&, const PlacedShape<3>&, double, ShapeContacts<3>&);

}  // namespace talus
