// What `talus analyze` says of the impacts a configuration is about to have.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "engine/impact_forecast.hpp"

namespace talus {

template <int D>
void print_impacts(std::FILE* out, const Scene<D>& scene,
                   std::span<const ImpactForecast<D>> forecasts);

// A JSON list, one object per cluster.
template <int D>
std::string impacts_json(const Scene<D>& scene, std::span<const ImpactForecast<D>> forecasts);

}  // namespace talus
