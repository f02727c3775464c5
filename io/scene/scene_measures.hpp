// SPDX-License-Identifier: Apache-2.0
// [[measure]] entries of a scene.
#pragma once

#include <vector>

#include "engine/model/measure.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

template <int D>
std::vector<Measure<D>> read_measures(const std::vector<Value>& entries);

}  // namespace talus
