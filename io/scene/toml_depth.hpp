// SPDX-License-Identifier: Apache-2.0
// Limits the number of parts of dotted keys. Each part is a nested table. The TOML library limits
// the depth of bracketed values but not of these tables, and it traverses tables recursively.
#pragma once

#include <string_view>

namespace talus {

inline constexpr int max_key_parts = 32;

// The line of the first key or header with too many parts, or 0. For a text that is not TOML the
// result is arbitrary; such a text is refused anyway.
int line_of_too_deep_key(std::string_view toml);

}  // namespace talus
