// [[joint]] entries of a scene.
#pragma once

#include <functional>
#include <vector>

#include "engine/scene.hpp"
#include "io/scene_value.hpp"

namespace talus {

// Reads the joints of a scene whose bodies are known. `find_body` gives the number of the body that
// a value names, or fails.
template <int D>
std::vector<Joint<D>> read_joints(const std::vector<Value>& entries, const Scene<D>& scene,
                                  const std::function<int(const Value&)>& find_body);

}  // namespace talus
