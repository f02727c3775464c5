// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that have no contact: those that a joint holds together and those of groups that
// the scene keeps apart.
#pragma once

#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"

namespace talus {

template <int D>
class ExcludedPairs {
 public:
  explicit ExcludedPairs(const Scene<D>& scene);

  void remove_from(std::vector<BodyPair>& pairs, const Bodies<D>& bodies) const;
  bool excludes(const BodyPair& pair, const Bodies<D>& bodies) const;

 private:
  std::vector<BodyPair> joined_;  // sorted; bodies in joints keep their places
  NoContact groups_;              // by index of the body
};

}  // namespace talus
