// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 (see CMakeLists.txt) and entered only where the processor has it.
#include "solvers/sweep/sweep_wide.hpp"

#if defined(__AVX2__)

#include "solvers/sweep/sweep_kernels.hpp"

namespace talus {

namespace {
constexpr WideKernels avx2 = kernels_named("avx2");
}

const WideKernels* avx2_kernels() { return __builtin_cpu_supports("avx2") ? &avx2 : nullptr; }

}  // namespace talus

#else

namespace talus {

const WideKernels* avx2_kernels() { return nullptr; }

}  // namespace talus

#endif
