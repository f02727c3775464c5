// SPDX-License-Identifier: Apache-2.0
// Scenes to be read, as text.
#pragma once

#include <string>
#include <vector>

#include "io/scene/scene_reader.hpp"

namespace talus::scene_texts {

// A floor and whatever else, in the plane.
inline std::string plane_scene(const std::string& rest) {
  return R"(dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1.0 }

[material.stone]
density = 2000
friction = 0.5

[[body]]
name = "floor"
shape = { halfspace = [0, 2] }
material = "stone"
fixed = true

)" + rest;
}

inline std::string space_scene(const std::string& rest) {
  return R"(dimension = 3
time = { step = 1e-3, end = 1.0 }

[material.stone]
density = 2000
friction = 0.5

)" + rest;
}

template <int D>
Scene<D> read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return std::get<Scene<D>>(read_scene_text(text, "test.toml", overrides).scene);
}

}  // namespace talus::scene_texts
