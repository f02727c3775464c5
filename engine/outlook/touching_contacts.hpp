// SPDX-License-Identifier: Apache-2.0
// Contacts of a configuration, whatever the velocities.
#pragma once

#include <cmath>
#include <vector>

#include "engine/detect/contact_search.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// Contacts with gaps up to a part of the size of their bodies, and `more` [m].
template <int D>
std::vector<Contact<D>> contacts_within(const Scene<D>& scene, const Bodies<D>& bodies, double part,
                                        double more = 0) {
  std::vector<Reach<D>> reach(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (std::isfinite(bodies.geometry_of(i).size))
      reach[i].margin = part * bodies.geometry_of(i).size + more;
  std::vector<Contact<D>> contacts;
  ContactSearch<D>().find(bodies, reach, ExcludedPairs<D>(scene), contacts);
  return contacts;
}

}  // namespace talus
