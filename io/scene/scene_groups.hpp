// SPDX-License-Identifier: Apache-2.0
// What a scene says of groups of bodies: their material, and which of them do not touch.
#pragma once

#include <functional>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_materials.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// [[group]] gives bodies another material, and can keep them from touching each other. Calls
// `check` for every body that has changed.
template <int D>
void read_groups(const std::vector<Value>& entries, const SceneMaterials& materials,
                 const std::function<void(const BodyDescription<D>&, const Fields&)>& check,
                 Scene<D>& scene);

// [[pair]] keeps the bodies of two groups from touching.
template <int D>
void read_pairs(const std::vector<Value>& entries, Scene<D>& scene);

}  // namespace talus
