// SPDX-License-Identifier: Apache-2.0
// Bodies → contacts: broadphase and narrowphase in a row. Keeps its arrays from call to call.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/detect/excluded_pairs.hpp"
#include "engine/detect/narrowphase.hpp"

namespace talus {

template <int D>
class ContactSearch {
 public:
  // All gaps within reach, in the order of their keys, without those of the excluded pairs.
  void find(const Bodies<D>& bodies, std::span<const Reach<D>> reach,
            const ExcludedPairs<D>& excluded, std::vector<Contact<D>>& contacts) {
    broadphase_.find_pairs(bodies, reach, pairs_);
    excluded.remove_from(pairs_, bodies);
    narrowphase_.find_contacts(bodies, pairs_, reach, contacts);
  }

 private:
  Broadphase<D> broadphase_;
  std::vector<BodyPair> pairs_;
  Narrowphase<D> narrowphase_;
};

}  // namespace talus
