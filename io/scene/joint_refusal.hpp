// SPDX-License-Identifier: Apache-2.0
// Errors in a scene that only show when all joints are considered together.
#pragma once

#include "engine/model/bodies.hpp"
#include "io/scene/scene_reader.hpp"

namespace talus {

// Throws SceneError for a joint that cannot be satisfied at the start: no velocities satisfy all
// joints, motors and drives.
template <int D>
void refuse_contradicting_joints(const SceneDocument& document, const Scene<D>& scene,
                                 const Bodies<D>& bodies);

}  // namespace talus
