// SPDX-License-Identifier: Apache-2.0
// The certificate of a whole run: compares what every step recorded with what follows from the
// saved states and contacts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/check/criterion.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

struct RunCheck {
  std::vector<Criterion> criteria;
  std::int64_t impacts = 0;
  std::int64_t inadmissible_impacts = 0;
  std::int64_t failed_impacts = 0;  // not solved within their budget
  double impact_work = 0;           // of all of them [J]
  double max_penetration = 0;       // at any contact of any step [m]
  std::int64_t max_penetration_step = 0;
  double max_relative_penetration = 0;  // of the half width of the thinner body
  std::int64_t max_relative_penetration_step = 0;
  double max_error = 0;            // of the contact problems, island by island
  double worst_contact_error = 0;  // of a single contact, relative to the mean of its island
  std::int64_t unconverged_steps = 0;
  double energy_defect = 0;  // largest, relative to the energy turned over

  bool passed() const;
  std::optional<std::int64_t> first_bad_step() const;
};

// Limits that replace those of the scene.
struct CheckOptions {
  std::optional<double> penetration;
};

RunCheck check_run(const TrajectoryReader& run, const CheckOptions& options = {});

}  // namespace talus
