// SPDX-License-Identifier: Apache-2.0
// The key impact_law of a scene.
#pragma once

#include <optional>

#include "io/scene/scene_value.hpp"
#include "solvers/impact/impact_law.hpp"

namespace talus {

struct ImpactSettings {
  ImpactLaw law;
  std::optional<double> speed;  // a contact that closes faster is an impact [m/s]
};

// The name of a law, or a table with its parameters: { law = "lzb", exponent = 1 }.
ImpactSettings read_impact_law(const Value& value);

}  // namespace talus
