// Generators of a scene: [[wall]], [[chain]], [[grid]], [[stack]], [[arch]], [[column]].
#pragma once

#include <string>
#include <string_view>

#include "engine/generate.hpp"
#include "io/scene_value.hpp"

namespace talus {

// One kind of generator: its key in the scene, the keys it knows beside those that all share (name,
// material, position, rotation, velocity, fixed), and how it reads them.
template <int D>
struct Generator {
  std::string_view kind;
  Keys keys;
  Plan<D> (*read)(const Fields& fields, const std::string& name);
};

template <int D>
const std::vector<Generator<D>>& generators();

}  // namespace talus
