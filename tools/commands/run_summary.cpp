// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/run_summary.hpp"

#include <fmt/core.h>

#include <cmath>

#include "solvers/math/maximum.hpp"

namespace talus {

void RunSummary::add(const Certificate& step) {
  ++steps_;
  if (!step.converged) missed_.add(step);
  if (!(step.max_relative_penetration <= limits_.penetration)) deep_.add(step);
  if (step.passed_through > 0) passed_through_.add(step);
  if (step.impact_inadmissible > 0) inadmissible_.add(step);
  watch_.add(step);
  keep_largest(error_, step.error);
  keep_largest(worst_contact_, step.worst_error);
  keep_largest(penetration_, step.max_penetration);
  keep_largest(relative_penetration_, step.max_relative_penetration);
  if (step.turnover != 0) keep_largest(defect_, std::abs(step.defect) / step.turnover);
  last_ = step;
}

std::vector<std::string> RunSummary::warnings() const {
  std::vector<std::string> warnings;
  const auto warn = [&](const Steps& broken, const std::string& what, const char* advice) {
    if (broken.count == 0) return;
    warnings.push_back(fmt::format("warning: {} of {} steps {}, the first is step {}{}",
                                   broken.count, steps_, what, broken.first, advice));
  };
  warn(missed_, fmt::format("missed the tolerance {:.1e}", tolerance_),
       "; solver.max_sweeps lets them take longer");
  warn(deep_,
       fmt::format(
           "let bodies overlap by more than {:.2g} of the thinner one's half width (by {:.2g} "
           "at most)",
           limits_.penetration, relative_penetration_),
       "; a smaller time step helps, certificate.penetration sets the limit");
  warn(passed_through_, "let a body go through another", "; take a smaller time step");
  warn(inadmissible_, "have an impact that is not admissible", "; `talus check` says why");
  return warnings;
}

std::string RunSummary::figures() const {
  return fmt::format(
      "contact error ≤ {:.1e} (worst contact {:.1e}), penetration ≤ {:.2g} m, energy defect ≤ "
      "{:.1e} "
      "of the energy turned over",
      error_, worst_contact_, penetration_, defect_);
}

void RunSummary::add_to(JsonObject& json) const {
  json.add("max_error", error_)
      .add("worst_contact_error", worst_contact_)
      .add("max_penetration", penetration_)
      .add("max_relative_penetration", relative_penetration_)
      .add("energy_defect", defect_)
      .add("unconverged_steps", missed_.count)
      .add("passed_through_steps", passed_through_.count)
      .add("inadmissible_impact_steps", inadmissible_.count);
  watch_.add_to(json);
}

}  // namespace talus
