// SPDX-License-Identifier: Apache-2.0
// Which stop condition ended a run, in words.
#pragma once

#include <string>

#include "engine/world.hpp"

namespace talus {

// Empty if none did.
template <int D>
std::string stop_reason(const World<D>& world);

}  // namespace talus
