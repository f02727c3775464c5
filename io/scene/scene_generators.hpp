// SPDX-License-Identifier: Apache-2.0
// Generators of a scene: [[wall]], [[chain]], [[grid]], [[stack]], [[arch]], [[column]].
#pragma once

#include <string>
#include <string_view>

#include "engine/build/generate.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

// One kind of generator: its key in the scene, its own keys beside the common ones (name, material,
// position, rotation, velocity, fixed), and the function that reads them.
template <int D>
struct Generator {
  std::string_view kind;
  Keys keys;
  Plan<D> (*read)(const Fields& fields, const std::string& name);
};

template <int D>
const std::vector<Generator<D>>& generators();

}  // namespace talus
