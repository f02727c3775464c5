// SPDX-License-Identifier: Apache-2.0
// Impacts that are about to happen at a configuration, and what is proved of them beforehand. An
// impact is a contact that closes within the next time step, with all touching contacts connected
// to it.
#pragma once

#include <optional>
#include <vector>

#include "engine/outlook/quasi_forces.hpp"
#include "engine/step/impact.hpp"
#include "solvers/analysis/contact_modes.hpp"
#include "solvers/impact/impact_bounds.hpp"
#include "solvers/impact/impact_outlook.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/sliding_mode.hpp"

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

  // Of clusters that are analysed in full: before, and after where it is solved.
  std::optional<QuasiState> quasi_before, quasi_after;
  std::optional<QuasiForces> quasi_forces;
  // Under Moreau's law or a matrix, of up to eight contacts (in space four) of which one closes:
  // all modes; in the plane also the one in which all contacts with friction slide on as they
  // arrive.
  std::optional<ModeList> modes;
  std::optional<SlidingMode> all_slide;
};

// Clusters in which a contact closes; if there are none, clusters of touching contacts. The
// conditions are those of the restitution matrix of the scene, or of the diagonal one.
template <int D>
std::vector<ImpactForecast<D>> forecast_impacts(const Scene<D>& scene, const Bodies<D>& bodies,
                                                double t);

}  // namespace talus
