// SPDX-License-Identifier: Apache-2.0
// Last step's percussions carried to this step's contacts.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/model/contact.hpp"

namespace talus {

template <int D>
struct StoredPercussion {
  ContactKey key;
  Vec<D> percussion;  // world axes, on b [N s]
};

// The impulses of a step, sorted by key, and its moments beside them if contacts pass any.
template <int D>
struct LastImpulses {
  std::span<const StoredPercussion<D>> percussions;
  std::span<const Spin<D>> moments;  // world axes, on b [N m s]; none or one each
};

// Index of the percussion stored under a key, −1 if there is none. Keys must be asked for in
// increasing order, none before `from`: both lists are sorted, so one walk serves all contacts.
template <int D>
class PercussionWalk {
 public:
  explicit PercussionWalk(std::span<const StoredPercussion<D>> stored) : stored_(stored) {}
  PercussionWalk(std::span<const StoredPercussion<D>> stored, const ContactKey& from)
      : stored_(stored),
        next_(static_cast<std::size_t>(
            std::ranges::lower_bound(stored, from, {}, &StoredPercussion<D>::key) -
            stored.begin())) {}

  std::ptrdiff_t operator()(const ContactKey& key) {
    while (next_ < stored_.size() && stored_[next_].key < key) ++next_;
    const bool found = next_ < stored_.size() && stored_[next_].key == key;
    return found ? static_cast<std::ptrdiff_t>(next_) : -1;
  }

 private:
  std::span<const StoredPercussion<D>> stored_;
  std::size_t next_ = 0;
};

}  // namespace talus
