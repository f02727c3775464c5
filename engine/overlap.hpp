// Overlaps of bodies at one configuration, and how far a point is from a body's surface.
#pragma once

#include <span>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/broadphase.hpp"
#include "engine/narrowphase.hpp"

namespace talus {

// The deepest overlap of a configuration as a part of the half width of the thinner body; keeps its
// arrays from call to call. Pairs of `joined`, which is sorted, have no contacts.
template <int D>
class OverlapSearch {
 public:
  double deepest(const Bodies<D>& bodies, std::span<const BodyPair> joined);

 private:
  std::vector<Reach<D>> reach_;
  Broadphase<D> broadphase_;
  std::vector<BodyPair> pairs_;
  Narrowphase<D> narrowphase_;
  std::vector<Contact<D>> contacts_;
};

// Distance of a point from a body's surface, negative inside [m]; infinite if it is more than
// `reach`. `length` > 0 is small against the body.
template <int D>
double distance_from(const Bodies<D>& bodies, std::size_t body, const Vec<D>& point, double reach,
                     double length);

}  // namespace talus
