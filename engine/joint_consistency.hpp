// Whether joints can hold at all, before the first step.
#pragma once

#include "engine/bodies.hpp"
#include "engine/scene.hpp"

namespace talus {

// The joint that fails worst at the end of the first step, whatever the free bodies do, when driven
// bodies and motors without a limit move as prescribed; −1 when all can hold. Joints that are too
// many and agree with each other do.
template <int D>
int contradicting_joint(const Scene<D>& scene, const Bodies<D>& bodies);

}  // namespace talus
