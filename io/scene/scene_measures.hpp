// SPDX-License-Identifier: Apache-2.0
// [[measure]] entries of a scene.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// The [[measure]] entries of a scene whose bodies have been read.
template <int D>
std::vector<Measure<D>> read_measures(const std::vector<Value>& entries, const Scene<D>& scene);

}  // namespace talus
