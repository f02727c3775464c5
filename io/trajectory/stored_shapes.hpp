// SPDX-License-Identifier: Apache-2.0
// /shapes of a trajectory: the surfaces of its bodies and the exact parts they are made of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/trajectory/surface.hpp"

namespace talus {

enum class ShapeType : std::uint8_t { sphere, polytope, capsule, compound, half_space, mesh };

// Numbers that define a part. Sphere: centre, radius. Capsule: two ends, radius. Half-space:
// normal, offset. A polytope is given by its vertices, a mesh (a wall of
// triangles) by vertices and faces.
inline constexpr std::size_t parameters_per_part = 7;

struct StoredPart {
  ShapeType type = ShapeType::polytope;
  std::array<double, parameters_per_part> parameters = {};
};

struct StoredShape {
  Surface surface;  // body axes
  std::vector<StoredPart> parts;
};

}  // namespace talus
