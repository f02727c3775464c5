// SPDX-License-Identifier: Apache-2.0
// Blows of `talus analyze`: their option, and what the bodies do.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "engine/outlook/blow.hpp"
#include "engine/world.hpp"

namespace talus {

// BODY:IMPULSE or BODY:IMPULSE@POINT, vectors as [x, y] or [x, y, z].
template <int D>
Blow<D> parse_blow(const std::string& text, const World<D>& world);

template <int D>
void print_blows(std::FILE* out, const Scene<D>& scene, const Bodies<D>& bodies,
                 const std::vector<Blow<D>>& blows, const BlowResponse<D>& response);

template <int D>
std::string blows_json(const Scene<D>& scene, const Bodies<D>& bodies,
                       const BlowResponse<D>& response);

}  // namespace talus
