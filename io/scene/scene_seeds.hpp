// SPDX-License-Identifier: Apache-2.0
// Which keys of a scene are seeds of random numbers: those of packings, columns, emitters and grids
// with jitter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/scene/scene_source.hpp"

namespace talus {

struct SceneSeed {
  std::string key;         // as for --set: packing.0.seed
  std::int64_t value = 0;  // in the scene; 0 where it does not say
};

std::vector<SceneSeed> scene_seeds(const SceneSource& source);

}  // namespace talus
