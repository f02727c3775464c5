// SPDX-License-Identifier: Apache-2.0
// [[force]] entries: forces, torques and pressures on bodies and groups of bodies.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// One force per body that an entry names. Throws SceneError if none of them moves freely, or if a
// single body that is named does not.
template <int D>
std::vector<AppliedForce<D>> read_forces(const std::vector<Value>& entries, const Scene<D>& scene);

}  // namespace talus
