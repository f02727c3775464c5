// SPDX-License-Identifier: Apache-2.0
#include "io/text/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace talus {

namespace {

static_assert(std::endian::native == std::endian::little,
              "words are taken from memory as they lie");

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87, prime_2 = 0xC2B2AE3D27D4EB4F,
                        prime_3 = 0x165667B19E3779F9, prime_4 = 0x85EBCA77C2B2AE63,
                        prime_5 = 0x27D4EB2F165667C5;

template <class Word>
std::uint64_t word_at(const std::byte* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime_2, 31) * prime_1;
}

std::uint64_t merge(std::uint64_t sum, std::uint64_t lane) {
  return (sum ^ round(0, lane)) * prime_1 + prime_4;
}

// Final mixing: every bit of the result depends on every bit of the sum.
std::uint64_t avalanche(std::uint64_t sum) {
  sum = (sum ^ (sum >> 33)) * prime_2;
  sum = (sum ^ (sum >> 29)) * prime_3;
  return sum ^ (sum >> 32);
}

}  // namespace

std::array<std::uint64_t, 4> Digest::starting_lanes() {
  return {prime_1 + prime_2, prime_2, 0, 0 - prime_1};
}

void Digest::add_stripe(const std::byte* bytes) {
  for (std::size_t k = 0; k < lanes_.size(); ++k)
    lanes_[k] = round(lanes_[k], word_at<std::uint64_t>(bytes + 8 * k));
}

void Digest::add(std::span<const std::byte> bytes) {
  const std::size_t filled = size_ % stripe;
  size_ += bytes.size();
  if (filled > 0 || bytes.size() < stripe) {
    const std::size_t count = std::min(bytes.size(), stripe - filled);
    std::copy_n(bytes.begin(), count, waiting_.begin() + static_cast<std::ptrdiff_t>(filled));
    if (filled + count < stripe) return;
    add_stripe(waiting_.data());
    bytes = bytes.subspan(count);
  }
  for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe)) add_stripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), waiting_.begin());
}

void Digest::add_number(std::uint64_t number) { add(std::span<const std::uint64_t>(&number, 1)); }

void Digest::add_counted(std::string_view text) {
  add_number(text.size());
  add(std::span<const char>(text));
}

std::uint64_t Digest::value() const {
  std::uint64_t sum = lanes_[2] + prime_5;  // for fewer bytes than one stripe
  if (size_ >= stripe) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
          std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) sum = merge(sum, lane);
  }
  sum += size_;
  const std::byte* rest = waiting_.data();
  std::size_t left = size_ % stripe;
  for (; left >= 8; left -= 8, rest += 8)
    sum = std::rotl(sum ^ round(0, word_at<std::uint64_t>(rest)), 27) * prime_1 + prime_4;
  if (left >= 4) {
    sum = std::rotl(sum ^ (word_at<std::uint32_t>(rest) * prime_1), 23) * prime_2 + prime_3;
    left -= 4;
    rest += 4;
  }
  for (; left > 0; --left, ++rest)
    sum = std::rotl(sum ^ (word_at<std::uint8_t>(rest) * prime_5), 11) * prime_1;
  return avalanche(sum);
}

}  // namespace talus
