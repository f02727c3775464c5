// SPDX-License-Identifier: Apache-2.0
// A scene as a text of its own.
#pragma once

#include <span>
#include <string>

namespace talus {

// The text of a scene with its changes (`--set`) applied. Without changes it is the text as it
// stands; with changes all values are written anew, and comments are lost.
std::string text_with_changes(const std::string& text, const std::string& path,
                              std::span<const std::string> overrides);

}  // namespace talus
