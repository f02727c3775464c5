// SPDX-License-Identifier: Apache-2.0
// Names of bodies in which `*` stands for any characters.
#pragma once

#include <string_view>

namespace talus {

inline bool is_pattern(std::string_view name) { return name.find('*') != std::string_view::npos; }

// Whether a name fits a pattern: `*` stands for any characters, also none.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace talus
