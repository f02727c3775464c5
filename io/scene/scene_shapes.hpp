// SPDX-License-Identifier: Apache-2.0
// Shapes and rotations of a scene.
#pragma once

#include <vector>

#include "engine/geometry/shape.hpp"
#include "io/scene/scene_meshes.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// Lengths along the axes, all positive.
template <int D>
Vec<D> read_sides(const Value& value);

// { degrees = 30 } or { radians = 0.5 }, in space with axis = [x, y, z].
template <int D>
Orientation<D> read_rotation(const Value& value);

// The `shape` or the `shapes` of an entry.
template <int D>
std::vector<Shape<D>> read_shapes(const Fields& entry, MeshUse use = MeshUse::moving);

// One shape without position and rotation: { ball = 0.1 }, { box = [2, 1] }, …
template <int D>
Shape<D> read_shape(const Value& value, MeshUse use = MeshUse::moving);

}  // namespace talus
