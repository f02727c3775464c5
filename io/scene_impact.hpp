// The law of impact a scene asks for.
#pragma once

#include <optional>

#include "io/scene_value.hpp"
#include "solvers/impact_law.hpp"

namespace talus {

struct ImpactSettings {
  ImpactLaw law;
  std::optional<double> speed;  // closing above it is an impact [m/s]
};

// The name of a law, or a table with its parameters: { law = "lzb", exponent = 1 }.
ImpactSettings read_impact_law(const Value& value);

}  // namespace talus
