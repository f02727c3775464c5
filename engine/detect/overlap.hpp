// SPDX-License-Identifier: Apache-2.0
// Deepest overlap of bodies at one configuration, and the distance of a point from a body.
#pragma once

#include <vector>

#include "engine/detect/contact_search.hpp"
#include "engine/model/bodies.hpp"

namespace talus {

// Deepest overlap of two bodies, relative to the half width of the thinner one. Reuses its arrays
// from call to call. Excluded pairs are not in contact.
template <int D>
class OverlapSearch {
 public:
  double deepest(const Bodies<D>& bodies, const ExcludedPairs<D>& excluded);

 private:
  std::vector<Reach<D>> reach_;
  ContactSearch<D> search_;
  std::vector<Contact<D>> contacts_;
};

// Distance of a point from a body's surface, negative inside [m]; infinite if larger than `reach`.
// `length` > 0 must be small compared with the body.
template <int D>
double distance_from(const Bodies<D>& bodies, std::size_t body, const Vec<D>& point, double reach,
                     double length);

}  // namespace talus
