// SPDX-License-Identifier: Apache-2.0
// Triangle meshes in files: STL, as text or binary, and OBJ. Messages name the file and the line or
// the triangle; they do not quote the file, since an untrusted scene may name any file.
#pragma once

#include <string>
#include <string_view>

#include "engine/geometry/triangle_surface.hpp"

namespace talus {

inline constexpr int max_triangles = 1'000'000;

// The format follows from the ending of the name, .stl or .obj. Coordinates are multiplied by
// `scale`. Of an STL file the normals of the facets are ignored: the order of the corners says
// which side is outside. Of an OBJ file all but vertices and faces is ignored; a face of more than
// three corners becomes a fan. Throws SceneError.
TriangleSurface parse_mesh(std::string_view text, const std::string& name, double scale);

}  // namespace talus
