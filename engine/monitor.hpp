// A cheap look at the contact problem of a configuration while a run goes on: does the theory
// promise that it can go on in one way only?
#pragma once

#include "engine/bodies.hpp"
#include "engine/scene.hpp"

namespace talus {

// In the order in which they worry.
enum class ContactRegion {
  not_watched = 0,
  regular = 1,     // while contacts slip as they do, every load has one solution; or nothing slips
  not_unique = 2,  // not so: the matrix of the sliding contacts is no P-matrix
  paradoxical =
      3,  // a contact is beyond its Painlevé friction, or there is no solution, or several
};

template <int D>
ContactRegion contact_region(const Scene<D>& scene, const Bodies<D>& bodies, double t);

}  // namespace talus
