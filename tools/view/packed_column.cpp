// SPDX-License-Identifier: Apache-2.0
#include "tools/view/packed_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "tools/draw/deflate.hpp"

namespace talus {

namespace {

// The lowest `planes` bytes of every value, plane by plane.
template <class Word>
std::string packed_words(std::span<const Word> words, int planes) {
  std::string bytes;
  bytes.reserve(words.size() * static_cast<std::size_t>(planes));
  for (int plane = 0; plane < planes; ++plane)
    for (const Word word : words) bytes.push_back(static_cast<char>(word >> (8 * plane)));
  return fmt::format(R"({{"n": {}, "planes": {}, "data": "{}"}})", words.size(), planes,
                     base64(deflated(bytes)));
}

template <class Word, class Value>
std::string packed_bits(std::span<const Value> values) {
  std::vector<Word> words;
  words.reserve(values.size());
  for (const Value value : values) words.push_back(std::bit_cast<Word>(value));
  return packed_words<Word>(words, sizeof(Word));
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text.push_back(k <= count ? digits[three >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

std::string packed(std::span<const std::int32_t> values) {
  std::vector<std::uint32_t> words;
  words.reserve(values.size());
  std::uint32_t largest = 0;
  for (const std::int32_t value : values) {
    words.push_back(static_cast<std::uint32_t>(value) << 1 ^
                    static_cast<std::uint32_t>(value >> 31));
    largest |= words.back();
  }
  const int bits = std::bit_width(largest);
  return packed_words<std::uint32_t>(words, (bits + 7) / 8);
}

std::string packed(std::span<const double> values) { return packed_bits<std::uint64_t>(values); }

std::string packed(std::span<const float> values) { return packed_bits<std::uint32_t>(values); }

}  // namespace talus
