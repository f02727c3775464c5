// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 (see CMakeLists.txt) and entered only where the processor has it.
#include "solvers/sweep/sweep_wide.hpp"

#if defined(__AVX512VL__) && defined(__AVX512DQ__)

#include "solvers/sweep/sweep_kernels.hpp"

namespace talus {

namespace {
constexpr WideKernels avx512 = kernels_named("avx512");
}

const WideKernels* avx512_kernels() {
  const bool here = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return here ? &avx512 : nullptr;
}

}  // namespace talus

#else

namespace talus {

const WideKernels* avx512_kernels() { return nullptr; }

}  // namespace talus

#endif
