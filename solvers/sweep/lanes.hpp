// SPDX-License-Identifier: Apache-2.0
// Four doubles worked on together: one AVX2 register, or two SSE2 ones, or plain numbers, whatever
// the including file is compiled for. Every operation is rounded once, as IEEE 754 says, so all
// three give the same bits.
//
// This header is included by the files that are compiled once for every x86-64 machine, once more
// for AVX2 and once for AVX-512. Everything in it is local to the including file: a shared inline
// function could be compiled for AVX2 and then be linked into code that must run without.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace talus {
namespace {

#if defined(__AVX2__)
constexpr int lane_parts = 1;
typedef double Part __attribute__((vector_size(32)));
#else
constexpr int lane_parts = 2;
typedef double Part __attribute__((vector_size(16)));
#endif
using MaskPart = decltype(Part{} < Part{});
constexpr int part_width = 4 / lane_parts;

struct Lanes {
  Part part[lane_parts];
};

struct Mask {  // all bits of a lane set, or none
  MaskPart part[lane_parts];
};

template <class Result, class F>
[[gnu::always_inline]] inline Result each_part(F f) {
  Result result;
#pragma GCC unroll 2
  for (int i = 0; i < lane_parts; ++i) result.part[i] = f(i);
  return result;
}

[[gnu::always_inline]] inline Lanes broadcast(double x) {
  return each_part<Lanes>([&](int) { return Part{} + x; });
}
[[gnu::always_inline]] inline Lanes load(const double* x) {
  Lanes result;
  std::memcpy(&result, __builtin_assume_aligned(x, 32), sizeof result);
  return result;
}
[[gnu::always_inline]] inline void store(double* x, Lanes a) {
  std::memcpy(__builtin_assume_aligned(x, 32), &a, sizeof a);
}

[[gnu::always_inline]] inline Lanes operator+(Lanes a, Lanes b) {
  return each_part<Lanes>([&](int i) { return a.part[i] + b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator-(Lanes a, Lanes b) {
  return each_part<Lanes>([&](int i) { return a.part[i] - b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator*(Lanes a, Lanes b) {
  return each_part<Lanes>([&](int i) { return a.part[i] * b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator/(Lanes a, Lanes b) {
  return each_part<Lanes>([&](int i) { return a.part[i] / b.part[i]; });
}
[[gnu::always_inline]] inline Lanes operator-(Lanes a) {
  return each_part<Lanes>([&](int i) { return -a.part[i]; });
}

[[gnu::always_inline]] inline Mask operator<(Lanes a, Lanes b) {
  return each_part<Mask>([&](int i) { return a.part[i] < b.part[i]; });
}
[[gnu::always_inline]] inline Mask operator<=(Lanes a, Lanes b) {
  return each_part<Mask>([&](int i) { return a.part[i] <= b.part[i]; });
}
[[gnu::always_inline]] inline Mask operator!=(Lanes a, Lanes b) {
  return each_part<Mask>([&](int i) { return a.part[i] != b.part[i]; });
}
[[gnu::always_inline]] inline Mask operator&(Mask a, Mask b) {
  return each_part<Mask>([&](int i) { return a.part[i] & b.part[i]; });
}
[[gnu::always_inline]] inline Mask operator|(Mask a, Mask b) {
  return each_part<Mask>([&](int i) { return a.part[i] | b.part[i]; });
}
[[gnu::always_inline]] inline Mask operator~(Mask a) {
  return each_part<Mask>([&](int i) { return ~a.part[i]; });
}

[[gnu::always_inline]] inline Lanes select(Mask m, Lanes yes, Lanes no) {
  return each_part<Lanes>([&](int i) { return m.part[i] ? yes.part[i] : no.part[i]; });
}
[[gnu::always_inline]] inline Lanes max(Lanes a, Lanes b) { return select(a < b, b, a); }
[[gnu::always_inline]] inline Lanes min(Lanes a, Lanes b) { return select(b < a, b, a); }
[[gnu::always_inline]] inline Lanes abs(Lanes a) { return max(a, -a); }

[[gnu::always_inline]] inline Lanes sqrt(Lanes a) {
  return each_part<Lanes>([&](int i) {
#if defined(__AVX2__)
    return reinterpret_cast<Part>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a.part[i])));
#elif defined(__SSE2__)
    return reinterpret_cast<Part>(_mm_sqrt_pd(reinterpret_cast<__m128d>(a.part[i])));
#else
    return Part{std::sqrt(a.part[i][0]), std::sqrt(a.part[i][1])};
#endif
  });
}

// Bit l is set when lane l is.
[[gnu::always_inline]] inline int bits(Mask m) {
  int result = 0;
#pragma GCC unroll 2
  for (int i = 0; i < lane_parts; ++i) {
#if defined(__AVX2__)
    result |= _mm256_movemask_pd(reinterpret_cast<__m256d>(m.part[i]));
#elif defined(__SSE2__)
    result |= _mm_movemask_pd(reinterpret_cast<__m128d>(m.part[i])) << (part_width * i);
#else
    result |= ((m.part[i][0] ? 1 : 0) | (m.part[i][1] ? 2 : 0)) << (part_width * i);
#endif
  }
  return result;
}
[[gnu::always_inline]] inline bool any(Mask m) { return bits(m) != 0; }

// The pair x[0], x[1] of four places, turned into two Lanes, and back. Pairs are read and written
// as 16 bytes each, so that a read which follows a write at the same place is forwarded to it.
struct LanePair {
  Lanes first, second;
};

[[gnu::always_inline]] inline LanePair load_pairs(const double* x0, const double* x1,
                                                  const double* x2, const double* x3) {
  LanePair result;
#if defined(__AVX2__)
  const __m256d even =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(x0)), _mm_load_pd(x2), 1);
  const __m256d odd =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(x1)), _mm_load_pd(x3), 1);
  result.first.part[0] = reinterpret_cast<Part>(_mm256_unpacklo_pd(even, odd));
  result.second.part[0] = reinterpret_cast<Part>(_mm256_unpackhi_pd(even, odd));
#else
  result.first.part[0] = Part{x0[0], x1[0]};
  result.first.part[1] = Part{x2[0], x3[0]};
  result.second.part[0] = Part{x0[1], x1[1]};
  result.second.part[1] = Part{x2[1], x3[1]};
#endif
  return result;
}

[[gnu::always_inline]] inline void store_pairs(double* x0, double* x1, double* x2, double* x3,
                                               Lanes first, Lanes second) {
#if defined(__AVX2__)
  const __m256d a = reinterpret_cast<__m256d>(first.part[0]);
  const __m256d b = reinterpret_cast<__m256d>(second.part[0]);
  const __m256d even = _mm256_unpacklo_pd(a, b);  // a₀ b₀ a₂ b₂
  const __m256d odd = _mm256_unpackhi_pd(a, b);   // a₁ b₁ a₃ b₃
  _mm_store_pd(x0, _mm256_castpd256_pd128(even));
  _mm_store_pd(x1, _mm256_castpd256_pd128(odd));
  _mm_store_pd(x2, _mm256_extractf128_pd(even, 1));
  _mm_store_pd(x3, _mm256_extractf128_pd(odd, 1));
#else
  double* const places[4] = {x0, x1, x2, x3};
  for (int l = 0; l < 4; ++l) {
    const Part pair = {first.part[l / 2][l % 2], second.part[l / 2][l % 2]};
    std::memcpy(places[l], &pair, sizeof pair);
  }
#endif
}

}  // namespace
}  // namespace talus
