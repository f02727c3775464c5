// SPDX-License-Identifier: Apache-2.0
// Indices are stored in four bytes; the standard containers want them in eight.
#pragma once

#include <cstddef>

namespace talus {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace talus
