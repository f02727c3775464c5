// SPDX-License-Identifier: Apache-2.0
// The words of `talus analyze`: names of constraints, verdicts, and the sentence it ends with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/scene.hpp"
#include "engine/outlook/active_constraints.hpp"
#include "solvers/analysis/well_posedness.hpp"

namespace talus {

template <int D>
std::string contact_label(const Scene<D>& scene, int a, int b);
template <int D>
std::string label(const Scene<D>& scene, const ActiveConstraint<D>& constraint);

// Some of the constraints by their names, without duplicates, as many as fit.
template <int D>
std::string names_of(const Scene<D>& scene, const std::vector<ActiveConstraint<D>>& constraints,
                     const std::vector<int>& which);

// What the scene has and the analysis leaves out, in words.
template <int D>
std::vector<std::string> not_analysed(const Scene<D>& scene);

// What a solver found where modes were too many.
const FoundMotion* found_motion(const WellPosedness& report);

// "3 stick, 1 slide, 0 detach"
std::string mode_counts(const std::vector<ContactMode>& modes);

std::string_view word(Verdict verdict);
std::string_view word(Advice advice);

// What follows from the whole report, and nothing that one of its lines denies.
std::string conclusion(const WellPosedness& report);

}  // namespace talus
