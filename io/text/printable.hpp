// SPDX-License-Identifier: Apache-2.0
// Sanitises untrusted text for a terminal or for XML.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// Whether a byte of UTF-8 begins a character.
inline bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// Replaces tabs by blanks and other control characters by question marks. If the text is not UTF-8,
// every byte beyond ASCII is replaced, too.
std::string printable(std::string_view text);

// The same for every line of a text.
std::string printable_lines(std::string_view text);

// Escapes text for an XML element or attribute.
std::string xml_text(std::string_view text);

}  // namespace talus
