// Text that came from anywhere, made fit for a terminal or for XML.
#pragma once

#include <string>
#include <string_view>

namespace talus {

// Whether a byte of UTF-8 begins a character.
inline bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// With a blank for a tab and a question mark for every other control character; of a text that is
// not UTF-8, for every byte beyond ASCII.
std::string printable(std::string_view text);

// The same, line by line.
std::string printable_lines(std::string_view text);

// For the text or an attribute of an XML element.
std::string xml_text(std::string_view text);

}  // namespace talus
