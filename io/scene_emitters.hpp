// What comes and goes in a scene: [[emitter]], [[outlet]].
#pragma once

#include <string>
#include <vector>

#include "engine/scene.hpp"
#include "io/scene_value.hpp"

namespace talus {

Keys emitter_keys();
Keys outlet_keys();

// Its grains are of this material; all of them are drawn here.
template <int D>
Emitter<D> read_emitter(const Fields& fields, const std::string& name, int material,
                        const std::vector<Material>& materials, double scene_end,
                        std::size_t most_grains);

template <int D>
Outlet<D> read_outlet(const Fields& fields, const std::string& name);

// An outlet may not take everything there is at the start, nor all that an emitter brings.
template <int D>
void refuse_outlet_of_all(const Fields& fields, const Outlet<D>& outlet, const Scene<D>& scene);

}  // namespace talus
