// SPDX-License-Identifier: Apache-2.0
// The certificate of a whole run as one JSON object.
#pragma once

#include <string>

#include "io/check/trajectory_check.hpp"

namespace talus {

// What `talus check --json` prints.
std::string check_json(const TrajectoryReader& run, const CheckOptions& options);

}  // namespace talus
