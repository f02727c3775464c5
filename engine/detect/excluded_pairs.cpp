// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/excluded_pairs.hpp"

#include <algorithm>

namespace talus {

template <int D>
ExcludedPairs<D>::ExcludedPairs(const Scene<D>& scene) : groups_(scene.no_contact) {
  for (const Joint<D>& joint : scene.joints) {
    if (joint.collide || joint.a < 0 || joint.b < 0) continue;
    joined_.push_back({std::min(joint.a, joint.b), std::max(joint.a, joint.b)});
  }
  std::sort(joined_.begin(), joined_.end());
}

// A pair of the list is of bodies that are present, so both have an index.
template <int D>
bool ExcludedPairs<D>::excludes(const BodyPair& pair, const Bodies<D>& bodies) const {
  if (std::binary_search(joined_.begin(), joined_.end(), pair)) return true;
  const auto id = [&](std::int32_t place) {
    return static_cast<std::size_t>(bodies.id[static_cast<std::size_t>(place)]);
  };
  return !groups_.first.empty() && groups_.applies(id(pair.a), id(pair.b));
}

template <int D>
void ExcludedPairs<D>::remove_from(std::vector<BodyPair>& pairs, const Bodies<D>& bodies) const {
  if (joined_.empty() && groups_.first.empty()) return;
  std::erase_if(pairs, [&](const BodyPair& pair) { return excludes(pair, bodies); });
}

template class ExcludedPairs<2>;
template class ExcludedPairs<3>;

}  // namespace talus
