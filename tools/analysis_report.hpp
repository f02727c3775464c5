// What `talus analyze` says of a configuration, for a person and as JSON.
#pragma once

#include <cstdio>
#include <string>

#include "engine/active_constraints.hpp"
#include "engine/impact_forecast.hpp"
#include "solvers/well_posedness.hpp"

namespace talus {

// How the next time step goes, for systems too large to try all their modes.
struct NextStep {
  bool converged = false;
  int sticking = 0, sliding = 0, separating = 0;
};

template <int D>
struct Analysis {
  ActiveConstraints<D> active;
  WellPosedness report;
  std::optional<NextStep> next_step;
  std::vector<ImpactForecast<D>> impacts;
};

template <int D>
void print_analysis(std::FILE* out, const Scene<D>& scene, const Analysis<D>& analysis);

template <int D>
std::string analysis_json(const std::string& source, double time, const Scene<D>& scene,
                          const Analysis<D>& analysis);

// The recommendation in a word and in a sentence.
std::string_view word(Advice advice);
std::string_view sentence(Advice advice);

}  // namespace talus
