// Dotted keys make a table inside a table for every part. The TOML library bounds the depth of
// values in brackets but not this one, and walks through tables by recursion.
#pragma once

#include <string_view>

namespace talus {

inline constexpr int max_key_parts = 32;

// The line of the first key or header with more parts, or 0. A text that is not TOML may give any
// line: it is refused anyway.
int line_of_too_deep_key(std::string_view toml);

}  // namespace talus
