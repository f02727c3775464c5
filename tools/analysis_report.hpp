// What `talus analyze` says of a configuration, for a person and as JSON.
#pragma once

#include <cstdio>
#include <string>

#include "engine/active_constraints.hpp"
#include "engine/impact_forecast.hpp"
#include "solvers/well_posedness.hpp"

namespace talus {

// How the next time step goes, as the contact solver of runs has it: for systems too large to try
// all their modes, and for Lemke's method.
struct NextStep {
  struct Contact {
    int a = -1, b = -1;  // bodies of the scene
    ContactMode mode = ContactMode::detach;
    double normal = 0;  // mean force of the step [N]
  };
  bool converged = false;
  std::vector<Contact> contacts;
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
