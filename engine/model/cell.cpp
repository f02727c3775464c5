// SPDX-License-Identifier: Apache-2.0
#include "engine/model/cell.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

// Whole numbers of an upright basis, given in the basis A.
template <int D, class Round>
Vec<D> whole(const Lattice<D>& lattice, const Vec<D>& x, Round round) {
  const UprightBasis<D> basis = upright_basis<D>(lattice);
  // Upper triangular: solved from the last axis, rounding as it goes.
  Vec<D> rest = x, n = Vec<D>::Zero();
  for (int k = D; k-- > 0;) {
    if (!lattice.periodic[static_cast<std::size_t>(k)]) continue;
    n[k] = round(rest[k] / basis.B(k, k));
    rest -= n[k] * basis.B.col(k);
  }
  return basis.U * n;
}

}  // namespace

template <int D>
UprightBasis<D> upright_basis(const Lattice<D>& lattice) {
  UprightBasis<D> basis{lattice.A, Mat<D>::Identity()};
  for (int k = 1; k < D; ++k) {
    for (int j = k; j-- > 0;) {
      if (!lattice.periodic[static_cast<std::size_t>(j)]) continue;
      const double turns = std::round(basis.B(j, k) / basis.B(j, j));
      basis.B.col(k) -= turns * basis.B.col(j);
      basis.U.col(k) -= turns * basis.U.col(j);
    }
  }
  return basis;
}

template <int D>
double Lattice<D>::width() const {
  const Mat<D> inverse = upright_basis<D>(*this).B.inverse();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < D; ++k)
    if (periodic[static_cast<std::size_t>(k)]) least = std::min(least, 1 / inverse.row(k).norm());
  return least;
}

template <int D>
Vec<D> Lattice<D>::images_away(const Vec<D>& x) const {
  return whole<D>(*this, x, [](double count) { return std::floor(count); });
}

template <int D>
Vec<D> Lattice<D>::nearest_image(const Vec<D>& x) const {
  return whole<D>(*this, x, [](double count) { return std::round(count); });
}

// By its series, of which few terms count: duration L is the strain of a step.
template <int D>
void Lattice<D>::advance(double duration) {
  if (L.isZero(0)) return;
  const Mat<D> strain = duration * L;
  Mat<D> term = A;
  for (int k = 1; k <= 12; ++k) {
    term = strain * term / k;
    A += term;
  }
}

template <int D>
Lattice<D> Cell<D>::lattice() const {
  Lattice<D> lattice;
  lattice.periodic = periodic;
  for (int k = 0; k < D; ++k)
    if (periodic[static_cast<std::size_t>(k)]) lattice.A(k, k) = size[k];
  return lattice;
}

#define TALUS_INSTANTIATE(D)                                    \
  template struct Lattice<D>;                                   \
  template UprightBasis<D> upright_basis<D>(const Lattice<D>&); \
  template struct Cell<D>;
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
