// [[measure]] entries of a scene.
#pragma once

#include <vector>

#include "engine/measure.hpp"
#include "io/scene_value.hpp"

namespace talus {

template <int D>
std::vector<Measure<D>> read_measures(const std::vector<Value>& entries);

}  // namespace talus
