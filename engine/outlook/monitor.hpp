// SPDX-License-Identifier: Apache-2.0
// A cheap test of the contact problem of a configuration during a run: does the theory guarantee
// that the motion is unique?
#pragma once

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// In increasing order of severity.
enum class ContactRegion {
  not_watched = 0,
  regular = 1,      // nothing slips, or with the present slip every load has exactly one solution
  not_unique = 2,   // not guaranteed: the matrix of the sliding contacts may be no P-matrix
  paradoxical = 3,  // friction of a contact above its Painlevé bound, or no solution, or several
};

template <int D>
ContactRegion contact_region(const Scene<D>& scene, const Bodies<D>& bodies, double t);

}  // namespace talus
