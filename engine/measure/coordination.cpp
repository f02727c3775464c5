// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/coordination.hpp"

namespace talus {

template <int D>
void Coordination<D>::find(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts) {
  bodies_.assign(bodies.size(), {});
  pairs_.clear();
  for (std::size_t first = 0, last = 0; first < contacts.size(); first = last) {
    const ContactKey& key = contacts[first].contact.key;
    bool presses = false, friction = false;
    for (; last < contacts.size() && contacts[last].contact.key.a == key.a &&
           contacts[last].contact.key.b == key.b;
         ++last) {
      presses |= contacts[last].pressing()[0] > 0;
      friction |= contacts[last].law.friction > 0;
    }
    const Pair pair{static_cast<std::size_t>(key.a), static_cast<std::size_t>(key.b)};
    for (const std::size_t body : {pair.a, pair.b}) {
      ++bodies_[body].touching;
      bodies_[body].pressing += presses;
      bodies_[body].friction |= presses && friction;
    }
    if (presses) pairs_.push_back(pair);
  }

  for (Neighbours& body : bodies_) body.holding = body.pressing;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Neighbours& body = bodies_[i];
      if (body.rattler || !bodies.moves_freely(i)) continue;
      body.rattler = body.holding < (body.friction ? D : D + 1);
      found |= body.rattler;
    }
    std::size_t kept = 0;
    for (const Pair& pair : pairs_) {
      if (!bodies_[pair.a].rattler && !bodies_[pair.b].rattler) {
        pairs_[kept++] = pair;
        continue;
      }
      --bodies_[pair.a].holding;
      --bodies_[pair.b].holding;
    }
    pairs_.resize(kept);
  }
}

template class Coordination<2>;
template class Coordination<3>;

}  // namespace talus
