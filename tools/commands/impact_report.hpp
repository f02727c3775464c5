// SPDX-License-Identifier: Apache-2.0
// Output of `talus analyze` for the impacts that are about to happen.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "engine/outlook/impact_forecast.hpp"

namespace talus {

template <int D>
void print_impacts(std::FILE* out, const Scene<D>& scene,
                   std::span<const ImpactForecast<D>> forecasts);

// A JSON list, one object per cluster.
template <int D>
std::string impacts_json(const Scene<D>& scene, std::span<const ImpactForecast<D>> forecasts);

}  // namespace talus
