// Pairs of bodies → contacts: one function per pair of shape families, chosen from one table.
//
// There is no length in here that the shapes do not bring along: tolerances are fractions of the
// smaller shape's size, or the rounding of the coordinates.
#pragma once

#include <span>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/broadphase.hpp"
#include "engine/contact.hpp"

namespace talus {

// A shape standing at (position, rotation).
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

// Adds all contacts of two shapes with gap ≤ reach, in no particular order, keyed by feature. The
// normal points from a to b. Where the two are apart, the closest pair of points is among the
// contacts, and every gap is the distance of a point of one shape from the other; where they
// overlap, the least separation along any direction is among them. Two half-spaces have no contact.
template <int D>
void find_shape_contacts(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         std::vector<ShapeContact<D>>& contacts);

// Keeps its arrays from call to call.
template <int D>
class Narrowphase {
 public:
  // All contacts of the given pairs, in the order of their keys; the pairs come in ascending order.
  // The largest gap of interest for a pair is margin_a + margin_b + ‖displacement_b −
  // displacement_a‖.
  void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                     std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts);

 private:
  std::vector<Mat<D>> rotation_;                // of bodies that are more than a ball
  std::vector<std::vector<Contact<D>>> found_;  // per chunk of pairs
  std::vector<std::size_t> start_;              // of each chunk among all
};

// The same with arrays of its own.
template <int D>
void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                   std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts);

}  // namespace talus
