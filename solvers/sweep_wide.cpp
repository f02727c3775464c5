#include "solvers/sweep_wide.hpp"

#include "solvers/sweep_kernels.hpp"

namespace talus {

namespace {
constexpr WideKernels portable = kernels_named("portable");
bool portable_only = false;
}  // namespace

const WideKernels& portable_kernels() { return portable; }

const WideKernels& wide_kernels() {
  static const WideKernels* const avx2 = avx2_kernels();
  return avx2 && !portable_only ? *avx2 : portable;
}

void use_portable_kernels(bool yes) { portable_only = yes; }

}  // namespace talus
