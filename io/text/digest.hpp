// SPDX-License-Identifier: Apache-2.0
// XXH64 checksum (xxHash, 64 bits, seed 0) of bytes that are added in pieces; the division into
// pieces makes no difference. It protects against damage, not against forgery: a single changed
// word is always detected, any other change with probability 1 − 2⁻⁶⁴. Other programs compute the
// same number, such as Python's xxhash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus {

class Digest {
 public:
  void add(std::span<const std::byte> bytes);
  template <class T>
  void add(std::span<const T> values) {
    add(std::as_bytes(values));
  }

  // Adds the length, then the bytes, so that later bytes cannot be mistaken for a part of the text.
  void add_counted(std::string_view text);
  template <class T>
  void add_counted(const std::vector<T>& values) {
    add_number(values.size());
    add(std::span<const T>(values));
  }

  void add_number(std::uint64_t number);

  std::uint64_t value() const;

 private:
  static constexpr std::size_t stripe = 32;  // [bytes], eight for each lane

  void add_stripe(const std::byte* bytes);

  std::array<std::uint64_t, 4> lanes_ = starting_lanes();
  std::array<std::byte, stripe> waiting_ = {};  // bytes of an incomplete stripe
  std::uint64_t size_ = 0;

  static std::array<std::uint64_t, 4> starting_lanes();
};

}  // namespace talus
