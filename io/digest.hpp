// XXH64 (xxHash, 64 bits, seed 0) of bytes that come in pieces: how they were cut makes no
// difference. It guards against damage, not against malice: a single changed word is always
// noticed, any other change but for a chance of 2⁻⁶⁴. Other programs compute the same number, such
// as Python's xxhash.
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

  // With their number, so that what follows cannot be taken for a part of it.
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
  std::array<std::byte, stripe> waiting_ = {};  // for the rest of a stripe
  std::uint64_t size_ = 0;

  static std::array<std::uint64_t, 4> starting_lanes();
};

}  // namespace talus
