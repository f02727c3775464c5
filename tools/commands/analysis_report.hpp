// SPDX-License-Identifier: Apache-2.0
// Output of `talus analyze` for a configuration, as text and as JSON.
#pragma once

#include <cstdio>
#include <string>

#include "engine/outlook/active_constraints.hpp"
#include "engine/outlook/blow.hpp"
#include "engine/outlook/impact_forecast.hpp"
#include "solvers/analysis/well_posedness.hpp"

namespace talus {

// The next time step, computed by the contact solver of runs. Used for systems that are too large
// for an enumeration of modes and for Lemke's method.
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
  std::vector<Blow<D>> blows;
  std::optional<BlowResponse<D>> response;  // to these
};

template <int D>
void print_analysis(std::FILE* out, const Scene<D>& scene, const Bodies<D>& bodies,
                    const Analysis<D>& analysis);

template <int D>
std::string analysis_json(const std::string& source, double time, const Scene<D>& scene,
                          const Bodies<D>& bodies, const Analysis<D>& analysis);

}  // namespace talus
