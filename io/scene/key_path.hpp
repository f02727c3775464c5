// SPDX-License-Identifier: Apache-2.0
// Places in a scene as paths of keys, for scenes that a program made and nobody has seen as text.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// The path of the last key or value of a TOML text that begins at or before a line and column, both
// from 1: "body[3].shape". Empty at the root.
std::string key_path_at(std::string_view toml, int line, int column);

}  // namespace talus
