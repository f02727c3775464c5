// SPDX-License-Identifier: Apache-2.0
// [cell]: a periodic cell.
#pragma once

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

template <int D>
Cell<D> read_cell(const Value& value);

// Fails where the scene, which is complete but for its laws, has what a periodic cell cannot hold.
template <int D>
void require_cell_holds(const Value& value, const Scene<D>& scene, bool passes_moments);

}  // namespace talus
