// SPDX-License-Identifier: Apache-2.0
// A collapse mechanism as SVG: bodies where they are and where they are about to go, hinges and
// sliding joints, and the line of thrust. Bodies in space are seen obliquely from the front.
#pragma once

#include <string>

#include "engine/outlook/touching_pairs.hpp"

namespace talus {

// `title` stands below the picture.
template <int D>
std::string mechanism_picture(const Bodies<D>& bodies, const std::vector<Twist<D>>& mechanism,
                              const std::vector<TouchingPair<D>>& pairs, const std::string& title);

}  // namespace talus
