// SPDX-License-Identifier: Apache-2.0
// Whether the joints are consistent, tested before the first step.
#pragma once

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"

namespace talus {

// The joint that is violated most at the end of the first step, whatever the free bodies do, if
// driven bodies and motors without a limit move as prescribed. −1 if all joints can be satisfied.
// Redundant joints that agree with each other are consistent.
template <int D>
int contradicting_joint(const Scene<D>& scene, const Bodies<D>& bodies);

}  // namespace talus
