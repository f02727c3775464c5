// SPDX-License-Identifier: Apache-2.0
#include "io/text/printable.hpp"

namespace talus {

namespace {

bool is_utf8(std::string_view text) {
  int awaited = 0;  // continuation bytes still expected
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xF8 || starts_character(c) != (awaited == 0)) return false;
    awaited = byte < 0x80 ? 0 : byte < 0xC0 ? awaited - 1 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  }
  return awaited == 0;
}

}  // namespace

std::string printable(std::string_view text) {
  const bool beyond_ascii = is_utf8(text);
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\t') {
      clean += ' ';
    } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !beyond_ascii)) {
      clean += '?';
    } else if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      clean += '?';  // U+0080 to U+009F are control characters, too
      ++i;
    } else {
      clean += text[i];
    }
  }
  return clean;
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines += printable(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

}  // namespace talus
