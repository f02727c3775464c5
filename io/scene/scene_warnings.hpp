// SPDX-License-Identifier: Apache-2.0
// Probable slips in a scene: values that are allowed, but rarely meant.
#pragma once

#include <string>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_source.hpp"

namespace talus {

// One line each, with its place.
template <int D>
std::vector<std::string> probable_slips(const SceneSource& source, const Scene<D>& scene);

}  // namespace talus
