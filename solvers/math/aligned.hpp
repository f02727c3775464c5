// SPDX-License-Identifier: Apache-2.0
// Arrays of doubles aligned to cache lines, as SIMD loads and stores need them.
#pragma once

#include <cstddef>
#include <vector>

namespace talus {

class AlignedNumbers {
 public:
  void resize(std::size_t count) { lines_.resize((count + 7) / 8); }
  double* data() { return lines_.empty() ? nullptr : lines_.front().x; }
  const double* data() const { return lines_.empty() ? nullptr : lines_.front().x; }

 private:
  struct alignas(64) CacheLine {
    double x[8];
  };
  std::vector<CacheLine> lines_;
};

}  // namespace talus
