// SPDX-License-Identifier: Apache-2.0
// Containers of a scene: [[container]].
#pragma once

#include "engine/build/container.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// Keys of a container, beside name, material, position and rotation.
const Keys& container_keys();

// The container, with fixed or driven walls, in its own frame.
template <int D>
Container<D> read_container(const Fields& fields);

}  // namespace talus
