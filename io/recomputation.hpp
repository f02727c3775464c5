// The frames of a run against the scene that the file holds. What follows from the saved states is
// computed again by the engine: where velocities lead, overlaps, potential energy, where contacts
// lie, and what turns bodies.
#pragma once

#include <vector>

#include "io/criterion.hpp"
#include "io/trajectory_reader.hpp"

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

// `penetration` is judged, too, by the overlaps of the saved positions.
void recompute(const TrajectoryReader& run, const std::vector<Certificate>& steps,
               RecomputedCriteria& criteria, Criterion& penetration);

}  // namespace talus
