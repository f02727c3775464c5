// SPDX-License-Identifier: Apache-2.0
// [[joint]] entries of a scene.
#pragma once

#include <functional>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// Reads the joints of a scene whose bodies are known. `find_body` returns the index of the body
// that a value names, or throws.
template <int D>
std::vector<Joint<D>> read_joints(const std::vector<Value>& entries, const Scene<D>& scene,
                                  const std::function<int(const Value&)>& find_body);

}  // namespace talus
