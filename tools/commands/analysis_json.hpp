// SPDX-License-Identifier: Apache-2.0
// The analysis of a configuration as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "io/check/world_at.hpp"

namespace talus {

struct AnalysisOptions {
  std::vector<std::string> massless, particles;  // bodies without mass and inertia, without inertia
  std::vector<std::string> blows;                // BODY:IMPULSE[@POINT]
  double seconds = 5;  // for the modes; what a search that is cut off has found depends on speed
};

// What `talus analyze --json` prints. `source` is what the object names as such. The world may be
// stepped.
std::string analysis_json(const std::string& source, WorldAt& moment,
                          const AnalysisOptions& options);

}  // namespace talus
