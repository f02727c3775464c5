// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: the distributions of the standard library
// differ from one to the next.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace talus {

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }

  // Normal distribution with mean 0 and standard deviation 1, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - between(0, 1)));
    return radius * std::cos(2 * M_PI * between(0, 1));
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace talus
