// The impacts a configuration is about to have, and what is promised of them beforehand: contacts
// that close within the next time step, with all that touch and hang together with them.
#pragma once

#include <optional>
#include <vector>

#include "engine/impact.hpp"
#include "solvers/impact_bounds.hpp"
#include "solvers/impact_outlook.hpp"

namespace talus {

template <int D>
struct ImpactForecast {
  std::vector<ActiveContact<D>> contacts;   // of the cluster
  std::vector<std::pair<int, int>> bodies;  // a and b of each, by their numbers in the scene
  bool closes = false;                      // one of them; else they only touch
  std::optional<ImpactOutlook> outlook;     // absent for clusters too large to be looked at whole
  std::optional<RestitutionBounds> bounds;  // in its stead; absent if joints make W dense, too
  // The impact as the law of the scene has it (Moreau's: that of a diagonal matrix), where one
  // closes.
  bool solved = false;
  bool left_out = false;  // too large to be tried
  std::optional<ImpactJudgement> judgement;
};

// Clusters in which a contact closes; if there are none, those of the contacts that touch. The
// conditions are those of the scene's matrix of restitution, or of the diagonal one.
template <int D>
std::vector<ImpactForecast<D>> forecast_impacts(const Scene<D>& scene, const Bodies<D>& bodies);

}  // namespace talus
