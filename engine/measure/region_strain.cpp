// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/region_strain.hpp"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

constexpr double flat = 1e-12;  // volume of the scatter of positions that counts as none

}  // namespace

template <int D>
void RegionStrain<D>::start(const CutRegion<D>* region, const Bodies<D>& bodies) {
  start_.assign(bodies.size(), Vec<D>::Zero());
  counts_.assign(bodies.size(), 0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.id[i] < 0) continue;
    const auto id = static_cast<std::size_t>(bodies.id[i]);
    if (id >= start_.size()) continue;
    start_[id] = bodies.position[i];
    counts_[id] =
        bodies.moves_freely(i) && (region == nullptr || region->contains(bodies.position[i]));
  }
}

template <int D>
Mat<D> RegionStrain<D>::deformation_gradient(const Bodies<D>& bodies) const {
  const auto start_of = [&](std::size_t i) -> const Vec<D>* {
    const std::int32_t id = bodies.id[i];
    if (id < 0 || static_cast<std::size_t>(id) >= start_.size()) return nullptr;
    return counts_[static_cast<std::size_t>(id)] ? &start_[static_cast<std::size_t>(id)] : nullptr;
  };
  struct Means {
    double grains = 0;
    Vec<D> X = Vec<D>::Zero(), x = Vec<D>::Zero();
    void operator+=(const Means& other) {
      grains += other.grains;
      X += other.X;
      x += other.x;
    }
  };
  Means mean = parallel_total<Means>(bodies.size(), [&](std::size_t first, std::size_t last) {
    Means part;
    for (std::size_t i = first; i < last; ++i)
      if (const Vec<D>* X = start_of(i)) part += Means{1, *X, bodies.position[i]};
    return part;
  });
  mean.X /= mean.grains;
  mean.x /= mean.grains;
  struct Moments {
    Mat<D> xX = Mat<D>::Zero(), XX = Mat<D>::Zero();
    void operator+=(const Moments& other) {
      xX += other.xX;
      XX += other.XX;
    }
  };
  const Moments moments =
      parallel_total<Moments>(bodies.size(), [&](std::size_t first, std::size_t last) {
        Moments part;
        for (std::size_t i = first; i < last; ++i) {
          const Vec<D>* X = start_of(i);
          if (X == nullptr) continue;
          const Vec<D> arm = *X - mean.X, now = bodies.position[i] - mean.x;
          part.xX += now * arm.transpose();
          part.XX += arm * arm.transpose();
        }
        return part;
      });
  const double spread = moments.XX.trace() / D;
  if (!(moments.XX.determinant() > flat * std::pow(spread, D)))
    return Mat<D>::Constant(std::numeric_limits<double>::quiet_NaN());
  return moments.xX * moments.XX.inverse();
}

template class RegionStrain<2>;
template class RegionStrain<3>;

}  // namespace talus
