// SPDX-License-Identifier: Apache-2.0
// Compares the frames of a run with the scene in the file. The engine computes again what follows
// from the saved states: motion, overlaps, potential energy, contact points and changes of angular
// momentum.
#pragma once

#include <vector>

#include "io/check/criterion.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

struct RecomputedCriteria {
  Criterion scene{"scene", "settings, bodies and materials are those of the scene", 1e-12};
  Criterion motion{"motion", "bodies move as their velocities and the corrections recorded say",
                   1e-9};
  Criterion potential{"potential", "saved positions have the potential energy recorded", 1e-10};
  Criterion contacts{"contacts", "saved contacts lie on both bodies, in parts of the smaller one",
                     1e-2};
  Criterion impulses{"impulses", "saved contact forces add up to the impulses recorded", 1e-10};
  Criterion spin{"spin", "angular momentum of every body changes by contacts alone", 1e-10};
};

// Also judges `penetration`, by the overlaps of the saved positions, and `cone` where friction is
// elliptic: its axes are those of bodies at the time of contact.
void recompute(const TrajectoryReader& run, const std::vector<Certificate>& steps,
               RecomputedCriteria& criteria, Criterion& penetration, Criterion& cone);

}  // namespace talus
