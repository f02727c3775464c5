// What only the joints of a scene together can be refused for.
#pragma once

#include "engine/bodies.hpp"
#include "io/scene_reader.hpp"

namespace talus {

// Throws the SceneError of a joint that cannot hold at the start, for want of velocities that
// satisfy all joints, motors and drives.
template <int D>
void refuse_contradicting_joints(const SceneDocument& document, const Bodies<D>& bodies);

}  // namespace talus
