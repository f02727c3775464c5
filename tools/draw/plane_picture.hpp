// SPDX-License-Identifier: Apache-2.0
// A frame of a run in the plane as SVG: bodies, force chains, a scale bar and a legend.
#pragma once

#include <string>

#include "tools/draw/still.hpp"

namespace talus {

std::string plane_picture(const StillRun& run, std::size_t frame);

}  // namespace talus
