// SPDX-License-Identifier: Apache-2.0
// Impacts that are about to happen at a configuration, and what is proved of them beforehand. An
// impact is a contact that closes within the next time step, with all touching contacts connected
// to it.
#pragma once

#include <optional>
#include <vector>

#include "engine/step/impact.hpp"
#include "solvers/impact/impact_bounds.hpp"
#include "solvers/impact/impact_outlook.hpp"

namespace talus {

template <int D>
struct ImpactForecast {
  std::vector<ActiveContact<D>> contacts;   // of the cluster
  std::vector<std::pair<int, int>> bodies;  // a and b of each, as indices in the scene
  bool closes = false;                      // whether one of them closes; else they only touch
  std::optional<ImpactOutlook> outlook;     // empty for clusters too large to be analysed in full
  std::optional<RestitutionBounds> bounds;  // used instead; empty for large clusters with joints
  // The impact by the law of the scene (for Moreau's law: by the diagonal matrix), if one closes.
  bool solved = false;
  bool left_out = false;  // too large to be computed
  std::optional<ImpactJudgement> judgement;
};

// Clusters in which a contact closes; if there are none, clusters of touching contacts. The
// conditions are those of the restitution matrix of the scene, or of the diagonal one.
template <int D>
std::vector<ImpactForecast<D>> forecast_impacts(const Scene<D>& scene, const Bodies<D>& bodies);

}  // namespace talus
