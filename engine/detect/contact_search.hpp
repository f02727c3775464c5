// SPDX-License-Identifier: Apache-2.0
// Bodies → contacts: broadphase and narrowphase in a row. Keeps its arrays from call to call.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/narrowphase.hpp"
#include "engine/detect/pair_search.hpp"

namespace talus {

template <int D>
class ContactSearch {
 public:
  // All gaps within reach, in the order of their keys, without those of the excluded pairs. Reach
  // is that of the next `duration`, which matters where a periodic cell deforms.
  void find(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
            const ExcludedPairs<D>& excluded, std::vector<Contact<D>>& contacts,
            double duration = 0) {
    pair_search_.find(bodies, reach, duration, excluded, pairs_, images_);
    narrowphase_.find_contacts(bodies, pairs_, reach, contacts, images_, duration);
  }

 private:
  PairSearch<D> pair_search_;
  std::vector<BodyPair> pairs_;
  std::vector<PeriodicImage<D>> images_;
  Narrowphase<D> narrowphase_;
};

}  // namespace talus
