// Containers of a scene: [[container]].
#pragma once

#include "engine/container.hpp"
#include "io/scene_value.hpp"

namespace talus {

// Beside name, material, position and rotation.
const Keys& container_keys();

// Its walls, fixed or driven, about its origin.
template <int D>
Container<D> read_container(const Fields& fields);

}  // namespace talus
