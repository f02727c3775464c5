// SPDX-License-Identifier: Apache-2.0
// Narrow phase: pairs of bodies → contacts. One function per pair of shape families, from a
// dispatch table.
//
// There are no absolute lengths here: tolerances are fractions of the size of the smaller shape, or
// the rounding error of the coordinates.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/pair_search.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"

namespace talus {

// A shape at a position and rotation.
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

// Adds all contacts of two shapes with gap ≤ reach, in no particular order, with their feature
// keys. The normal points from a to b. For separated shapes the closest pair of points is among the
// contacts, and every gap is the distance of a point of one shape from the other shape. For
// overlapping shapes the contact of least separation along any direction is among them. Two
// half-spaces have no contact.
template <int D>
void find_shape_contacts(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         std::vector<ShapeContact<D>>& contacts);

// Finds contacts; reuses its arrays from call to call.
template <int D>
class Narrowphase {
 public:
  // All contacts of the given pairs, sorted by their keys. The pairs must be in ascending order.
  // Contacts of a pair are found up to a gap of margin_a + margin_b + ‖displacement_b −
  // displacement_a‖. In a periodic cell the second of a pair is an image, where body a is as it is
  // (continued), and reach that of the next `duration`.
  void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                     std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts,
                     std::span<const PeriodicImage<D>> images = {}, double duration = 0);

 private:
  std::vector<Mat<D>> rotation_;                // of bodies that are not a single ball
  std::vector<std::vector<Contact<D>>> found_;  // per chunk of pairs
  std::vector<std::size_t> start_;              // index of the first contact of each chunk
};

// The same with temporary arrays.
template <int D>
void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                   std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts);

}  // namespace talus
