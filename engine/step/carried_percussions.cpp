// SPDX-License-Identifier: Apache-2.0
#include "engine/step/carried_percussions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/detect/contact_search.hpp"
#include "engine/step/activation.hpp"

namespace talus {

template <int D>
std::vector<StoredWrench<D>> recognised(const Bodies<D>& bodies, const ExcludedPairs<D>& excluded,
                                        double duration,
                                        std::span<const CarriedPercussion<D>> percussions) {
  std::vector<Reach<D>> reach(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Geometry<D>& geometry = bodies.geometry_of(i);
    reach[i].margin = duration * bodies.velocity[i].norm();
    if (!std::isfinite(geometry.bounding_radius)) continue;
    reach[i].margin += duration * bodies.spin[i].norm() * geometry.bounding_radius +
                       touching_fraction * geometry.size;
  }
  std::vector<Contact<D>> contacts;
  ContactSearch<D>().find(bodies, reach, excluded, contacts);

  const auto pair_of = [](const Contact<D>& contact) {
    return BodyPair{contact.key.a, contact.key.b};
  };
  std::vector<StoredWrench<D>> stored;
  std::vector<char> taken(contacts.size(), 0);
  for (const CarriedPercussion<D>& carried : percussions) {
    const BodyPair pair{carried.a, carried.b};
    double nearest = std::numeric_limits<double>::infinity();
    const Contact<D>* best = nullptr;
    for (auto it = std::ranges::lower_bound(contacts, pair, {}, pair_of);
         it != contacts.end() && pair_of(*it) == pair; ++it) {
      const Contact<D>& contact = *it;
      const Vec<D> way = contact.point - carried.point;
      const double distance = (way - bodies.lattice.A * bodies.lattice.nearest_image(way)).norm();
      if (taken[static_cast<std::size_t>(&contact - contacts.data())] || !(distance < nearest))
        continue;
      nearest = distance;
      best = &contact;
    }
    if (best == nullptr) continue;
    taken[static_cast<std::size_t>(best - contacts.data())] = 1;
    stored.push_back({{best->key, carried.percussion}, carried.moment});
  }
  std::ranges::sort(stored, {}, &StoredWrench<D>::key);
  return stored;
}

template std::vector<StoredWrench<2>> recognised<2>(const Bodies<2>&, const ExcludedPairs<2>&,
                                                    double, std::span<const CarriedPercussion<2>>);
template std::vector<StoredWrench<3>> recognised<3>(const Bodies<3>&, const ExcludedPairs<3>&,
                                                    double, std::span<const CarriedPercussion<3>>);

}  // namespace talus
