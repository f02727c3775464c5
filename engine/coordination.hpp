// How many neighbours grains have, and which grains hold nothing up.
#pragma once

#include <span>
#include <vector>

#include "engine/assembly.hpp"
#include "engine/bodies.hpp"

namespace talus {

// Two bodies are neighbours once however many contacts they share; walls are neighbours, too.
//
// A rattler is a grain with fewer neighbours that press on it than it takes to hold a grain without
// its weight: D + 1 without friction, D where there is friction at one of them. Rattlers are taken
// away, which may make others rattlers, until none is left.
template <int D>
class Coordination {
 public:
  // From the contacts of a step, in the order of their keys.
  void find(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts);

  int touching(std::size_t body) const { return bodies_[body].touching; }  // in the contact problem
  int pressing(std::size_t body) const { return bodies_[body].pressing; }  // with a percussion
  bool is_rattler(std::size_t body) const { return bodies_[body].rattler; }
  // Of those that press, the ones that are no rattlers; 0 for a rattler.
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
  std::vector<Pair> pairs_;  // that press, between bodies that are no rattlers
};

// Means over the grains that `is_counted` picks; not a number if there are none.
struct MeanCoordination {
  double pressing = 0, touching = 0;
  double without_rattlers = 0;  // holding neighbours of grains that are no rattlers
  double rattlers = 0;          // how many
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
