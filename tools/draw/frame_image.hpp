// SPDX-License-Identifier: Apache-2.0
// A frame of a run as pixels: in space with light, shadows and ambient occlusion, in the plane flat
// with force chains.
#pragma once

#include "tools/draw/image.hpp"
#include "tools/draw/still.hpp"

namespace talus {

Image frame_image(const StillRun& run, std::size_t frame, int width, int height);

}  // namespace talus
