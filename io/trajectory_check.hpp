// The certificate of a whole run: what every step recorded about itself, and what follows from the
// states and contacts that were saved, held against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/trajectory_reader.hpp"

namespace talus {

struct Criterion {
  std::string name;   // a word
  std::string claim;  // what must hold
  double limit = 0;   // on the worst value
  double worst = 0;
  std::int64_t checked = 0;  // how many steps, or frames, it was tried on
  std::int64_t violations = 0;
  std::optional<std::int64_t> first_bad_step = {};
  std::string unit = {};  // of the values; empty when they are ratios

  bool passed() const { return violations == 0; }
};

// What the impacts of a run broke of being admissible. A law may do that and the run be computed
// right, as Newton's restitution with friction does: findings, not criteria.
struct ImpactFinding {
  std::string claim;       // what did not hold
  double worst = 0;        // as in the series
  std::int64_t steps = 0;  // in which it did not
  std::int64_t first_bad_step = 0;
};

struct RunCheck {
  std::vector<Criterion> criteria;
  std::int64_t impacts = 0;
  std::int64_t inadmissible_impacts = 0;
  std::int64_t failed_impacts = 0;             // not solved within their budget
  double impact_work = 0;                      // of all of them [J]
  std::vector<ImpactFinding> impact_findings;  // empty: all were admissible
  double max_penetration = 0;                  // at any contact of any step [m]
  std::int64_t max_penetration_step = 0;
  double max_error = 0;  // of the contact problems
  std::int64_t unconverged_steps = 0;
  double energy_defect = 0;  // largest, as a part of the energy turned over

  bool passed() const;
  std::optional<std::int64_t> first_bad_step() const;
};

RunCheck check_run(const TrajectoryReader& run);

}  // namespace talus
