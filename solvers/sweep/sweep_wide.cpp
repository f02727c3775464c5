// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/sweep_wide.hpp"

#include <initializer_list>

#include "solvers/sweep/sweep_kernels.hpp"

namespace talus {

namespace {
constexpr WideKernels portable = kernels_named("portable");
const WideKernels* chosen = nullptr;
}  // namespace

const WideKernels* portable_kernels() { return &portable; }

const WideKernels& wide_kernels() {
  static const WideKernels* const fastest = [] {
    for (const WideKernels* kernels : {avx512_kernels(), avx2_kernels()}) {
      if (kernels != nullptr) return kernels;
    }
    return portable_kernels();
  }();
  return chosen != nullptr ? *chosen : *fastest;
}

void choose_kernels(const WideKernels* kernels) { chosen = kernels; }

}  // namespace talus
