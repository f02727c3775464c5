// SPDX-License-Identifier: Apache-2.0
// Emitters and outlets of a scene: [[emitter]], [[outlet]].
#pragma once

#include <string>
#include <vector>

#include "engine/model/scene.hpp"
#include "io/scene/scene_value.hpp"

namespace talus {

Keys emitter_keys();
Keys outlet_keys();

// Draws all grains of an emitter; they have this material.
template <int D>
Emitter<D> read_emitter(const Fields& fields, const std::string& name, int material,
                        const std::vector<Material>& materials, double scene_end,
                        std::size_t most_grains);

template <int D>
Outlet<D> read_outlet(const Fields& fields, const std::string& name);

// Throws SceneError if an outlet contains all free bodies of the start, or the whole zone of an
// emitter.
template <int D>
void refuse_outlet_of_all(const Fields& fields, const Outlet<D>& outlet, const Scene<D>& scene);

}  // namespace talus
