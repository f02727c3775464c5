// SPDX-License-Identifier: Apache-2.0
// The part of a contact's percussion that one friction coefficient bounds.
#pragma once

#include <array>
#include <cmath>

#include "solvers/problem/coulomb.hpp"
#include "solvers/problem/rolling.hpp"

namespace talus {

// The `count` components from `first` on, whose norm is at most coefficient · p_N + constant.
struct FrictionDisc {
  int first, count;  // one or two components
  double coefficient;
  double constant = 0;  // cohesion

  double radius(double p_N) const { return coefficient * (p_N > 0 ? p_N : 0.0) + constant; }
};

template <int D>
std::array<FrictionDisc, 1> discs_of(const Coulomb<D>& law) {
  return {{{1, D - 1, law.mu, law.cohesion}}};
}

// Sliding, rolling; in space also spinning.
template <int D>
std::array<FrictionDisc, D> discs_of(const RollingCoulomb<D>& law) {
  if constexpr (D == 2) {
    return {{{1, 1, law.mu}, {2, 1, law.rolling}}};
  } else {
    return {{{1, 2, law.mu}, {3, 1, law.spinning}, {4, 2, law.rolling}}};
  }
}

template <int N>
double dot_on(const FrictionDisc& disc, const Vec<N>& x, const Vec<N>& y) {
  double sum = 0;
  for (int c = disc.first; c < disc.first + disc.count; ++c) sum += x[c] * y[c];
  return sum;
}
template <int N>
double norm_on(const FrictionDisc& disc, const Vec<N>& x) {
  return disc.count == 1 ? std::abs(x[disc.first]) : std::sqrt(dot_on<N>(disc, x, x));
}
template <int N>
void scale_on(const FrictionDisc& disc, double factor, Vec<N>& x) {
  for (int c = disc.first; c < disc.first + disc.count; ++c) x[c] *= factor;
}

}  // namespace talus
