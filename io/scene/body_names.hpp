// SPDX-License-Identifier: Apache-2.0
// Groups of bodies, by names in which `*` stands for any characters.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"
#include "io/text/name_pattern.hpp"

namespace talus {

// Indices of the bodies of the start, ascending, that a value names: a name, a pattern, or a list
// of them. Throws SceneError where one names none.
template <int D>
std::vector<int> find_bodies(const Value& value, const Scene<D>& scene);

// The same among all bodies that are ever present, grains of emitters included.
template <int D>
std::vector<int> find_all_bodies(const Value& value, const Scene<D>& scene);

}  // namespace talus
