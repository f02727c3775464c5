// SPDX-License-Identifier: Apache-2.0
// Contact impulses that are known by their points, carried to the contacts of a configuration: the
// start of a run from a frame of another, which does not hold the features of its contacts.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/excluded_pairs.hpp"
#include "engine/model/bodies.hpp"
#include "engine/step/warm_start.hpp"

namespace talus {

template <int D>
struct CarriedPercussion {
  int a = -1, b = -1;                  // bodies, a < b
  Vec<D> point = Vec<D>::Zero();       // [m]
  Vec<D> percussion = Vec<D>::Zero();  // on b, world axes [N s]
  Spin<D> moment = Spin<D>::Zero();    // on b [N m s]
};

// One with the key of its contact.
template <int D>
struct StoredWrench {
  StoredPercussion<D> stored;
  Spin<D> moment = Spin<D>::Zero();

  const ContactKey& key() const { return stored.key; }
};

// Gives each impulse to the contact of its pair whose point is nearest, one to each contact. The
// result is sorted by keys. `duration` is how long bodies may have moved since their contacts were
// detected; what has no contact any more is dropped.
template <int D>
std::vector<StoredWrench<D>> recognised(const Bodies<D>& bodies, const ExcludedPairs<D>& excluded,
                                        double duration,
                                        std::span<const CarriedPercussion<D>> percussions);

}  // namespace talus
