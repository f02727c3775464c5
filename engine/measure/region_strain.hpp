// SPDX-License-Identifier: Apache-2.0
// Mean deformation of the grains that were in a region at the start of a run.
#pragma once

#include <vector>

#include "engine/geometry/cut_volume.hpp"
#include "engine/model/bodies.hpp"

namespace talus {

// The deformation gradient F that fits the motion X → x of the mass centres best, by least squares:
//     F = Σ (x − x̄) ⊗ (X − X̄)  [ Σ (X − X̄) ⊗ (X − X̄) ]⁻¹
// It is exact where the motion is affine. Grains are weighted equally; those that have been removed
// no longer count.
template <int D>
class RegionStrain {
 public:
  // Takes the grains that are in the region now (without a region all) as they are.
  void start(const CutRegion<D>* region, const Bodies<D>& bodies);

  // NaN if the grains do not span a volume.
  Mat<D> deformation_gradient(const Bodies<D>& bodies) const;

 private:
  std::vector<Vec<D>> start_;  // of the bodies present at the start, by index [m]
  std::vector<char> counts_;   // whether it is one of the grains
};

}  // namespace talus
