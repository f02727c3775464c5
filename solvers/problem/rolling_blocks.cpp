// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/rolling_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace talus {

template <int D>
RollingBlocks<D>::RollingBlocks(const SparseMatrix& W, const Eigen::VectorXd& b,
                                const std::vector<double>& mu, const std::vector<double>& rolling)
    : W_(gather_blocks<width>(W)) {
  for (std::size_t i = 0; i < mu.size(); ++i) {
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
      if (at(W_.column[k]) == i) diagonal_.push_back(k);
    const WrenchMat<D>& block = own_block(i);
    if (!(block(0, 0) > 0) || !block.allFinite()) throw std::domain_error("nothing moves there");
    double spins = 0;
    int kinds = 0;  // of moments
    for (int c = D; c < width; ++c) {
      spins += block(c, c);
      kinds += block(c, c) > 0;
    }
    const double velocities = block.diagonal().template head<D>().sum();
    length_.push_back(spins > 0 ? std::sqrt(velocities * kinds / (spins * D)) : 1);
    r_.push_back(D / (2 * velocities));
    friction_.push_back({rolling[i], 0});
    law_.emplace_back(mu[i], friction_[i], length_[i]);
    Wrench<D> own = b.segment<width>(static_cast<Eigen::Index>(width * i));
    b_.push_back(own.cwiseProduct(units(i, length_[i])));
  }
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k) {
      const std::size_t j = at(W_.column[k]);
      W_.block[k] =
          units(i, length_[i]).asDiagonal() * W_.block[k] * units(j, length_[j]).asDiagonal();
    }
}

// 1 for the components of a force, `moment` for those of the moment.
template <int D>
Wrench<D> RollingBlocks<D>::units(std::size_t, double moment) const {
  Wrench<D> unit = Wrench<D>::Ones();
  unit.template tail<spin_dim<D>>().setConstant(moment);
  return unit;
}

template <int D>
Wrench<D> RollingBlocks<D>::velocity(std::size_t i, const std::vector<Wrench<D>>& x) const {
  Wrench<D> y = b_[i];
  for (std::size_t k = W_.row_start[i]; k < W_.row_start[i + 1]; ++k)
    y.noalias() += W_.block[k] * x[at(W_.column[k])];
  return y;
}

template <int D>
void RollingBlocks<D>::velocities(const std::vector<Wrench<D>>& x,
                                  std::vector<Wrench<D>>& y) const {
  y.resize(size());
  for (std::size_t i = 0; i < size(); ++i) y[i] = velocity(i, x);
}

template <int D>
double RollingBlocks<D>::error(const std::vector<Wrench<D>>& x,
                               const std::vector<Wrench<D>>& y) const {
  double sum = 0, scale = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    sum += law_[i].residual_squared(y[i], x[i], r_[i]);
    scale += b_[i].squaredNorm();
  }
  constexpr double least = std::numeric_limits<double>::epsilon();  // some files are at rest
  return std::sqrt(sum) / std::max(std::sqrt(scale), least);
}

template <int D>
double RollingBlocks<D>::worst_error(const std::vector<Wrench<D>>& x,
                                     const std::vector<Wrench<D>>& y) const {
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    worst = std::max(worst, law_[i].residual_squared(y[i], x[i], r_[i]));
    scale += b_[i].squaredNorm() / static_cast<double>(size());
  }
  constexpr double least = std::numeric_limits<double>::epsilon();
  return std::sqrt(worst) / std::max(std::sqrt(scale), least);
}

template <int D>
double RollingBlocks<D>::siconos_error(const std::vector<Wrench<D>>& x) const {
  double sum = 0, scale = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Wrench<D> moments = units(i, length_[i]), spins = units(i, 1 / length_[i]);
    const Wrench<D> y = velocity(i, x).cwiseProduct(spins);
    sum += RollingCoulomb<D>(law_[i].mu, friction_[i], 1)
               .residual_squared(y, x[i].cwiseProduct(moments), 1);
    scale += b_[i].cwiseProduct(spins).squaredNorm();
  }
  return scale > 0 ? std::sqrt(sum / scale) : std::sqrt(sum);
}

template <int D>
std::vector<Wrench<D>> RollingBlocks<D>::in_given_units(const std::vector<Wrench<D>>& x) const {
  std::vector<Wrench<D>> given = x;
  for (std::size_t i = 0; i < size(); ++i) given[i] = x[i].cwiseProduct(units(i, length_[i]));
  return given;
}

template class RollingBlocks<2>;
template class RollingBlocks<3>;

}  // namespace talus
