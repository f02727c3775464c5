// SPDX-License-Identifier: Apache-2.0
// Coordination numbers of grains, and rattlers.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"

namespace talus {

// Two bodies count as neighbours once, however many contacts they share. Walls are neighbours, too.
//
// A rattler is a grain on which fewer neighbours press than are needed to hold a weightless grain:
// D + 1 without friction, D if one of these contacts has friction. Rattlers are removed, which may
// turn others into rattlers, until none is left.
template <int D>
class Coordination {
 public:
  // From the contacts of a step, in the order of their keys.
  void find(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts);

  int touching(std::size_t body) const { return bodies_[body].touching; }  // in the contact problem
  int pressing(std::size_t body) const { return bodies_[body].pressing; }  // with a percussion
  bool is_rattler(std::size_t body) const { return bodies_[body].rattler; }
  // Number of pressing neighbours that are not rattlers; 0 for a rattler.
  int holding(std::size_t body) const { return bodies_[body].holding; }

 private:
  struct Neighbours {
    int touching = 0, pressing = 0, holding = 0;
    bool friction = false, rattler = false;
  };
  struct Pair {
    std::size_t a = 0, b = 0;
  };
  std::vector<Neighbours> bodies_;
  std::vector<Pair> pairs_;  // pressing pairs of bodies that are not rattlers
};

// Means over the grains for which `is_counted` is true; NaN if there are none.
struct MeanCoordination {
  double pressing = 0, touching = 0;
  double without_rattlers = 0;  // neighbours that are not rattlers, of grains that are not rattlers
  double rattlers = 0;          // number of rattlers
};
template <int D, class Picked>
MeanCoordination mean_coordination(const Bodies<D>& bodies, const Coordination<D>& coordination,
                                   Picked is_counted) {
  double grains = 0, touching = 0, pressing = 0, rattlers = 0, holding = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i) || !is_counted(i)) continue;
    ++grains;
    touching += coordination.touching(i);
    pressing += coordination.pressing(i);
    holding += coordination.holding(i);
    rattlers += coordination.is_rattler(i);
  }
  return {pressing / grains, touching / grains, holding / (grains - rattlers), rattlers};
}

}  // namespace talus
