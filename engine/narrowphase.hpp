// Pairs of bodies → contacts: one function per pair of shape families, chosen from one table.
#pragma once

#include <span>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/broadphase.hpp"
#include "engine/contact.hpp"

namespace talus {

// All contacts of two shapes with gap ≤ reach, in no particular order, keyed by feature. The shapes
// stand at (position, rotation). The normal points from a to b.
template <int D>
struct PlacedShape {
  const Shape<D>* shape;
  Vec<D> position;
  Mat<D> rotation;
};

template <int D>
struct ShapeContact {
  std::uint64_t feature = 0;
  double gap = 0;
  Vec<D> normal, point;
};

template <int D>
void find_shape_contacts(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         std::vector<ShapeContact<D>>& contacts);

// All contacts of the given pairs, in the order of their keys. reach(a, b) is the largest gap that
// is of interest for a pair: margin_a + margin_b + ‖displacement_b − displacement_a‖.
template <int D>
void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                   std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts);

}  // namespace talus
