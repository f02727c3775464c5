// SPDX-License-Identifier: Apache-2.0
// { mesh = … } and { heightfield = … }: shapes from files beside the scene.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// What a mesh may be: a solid that moves, or also a wall.
enum class MeshUse { moving, wall };

// { mesh = "stone.stl" } or { mesh = { file = "stone.stl", scale = 0.001, hull = true, corners = 60
// } }. Its frame is that of the file. What was mended is remarked at the source.
Shape<3> read_mesh(const Value& value, MeshUse use);

// [[stones]]: a body for every mesh of a folder, named NAME.FILE, with its frame where the files
// have theirs. Overlaps of at most `overlap` are cut away and remarked; deeper ones are an error.
const Keys& stone_keys();
std::vector<BodyDescription<3>> read_stones(const Fields& fields, const std::string& name);

// { heightfield = "terrain.txt" }: an Esri ASCII grid, as a wall of triangles.
Shape<3> read_heightfield(const Value& value);

}  // namespace talus
