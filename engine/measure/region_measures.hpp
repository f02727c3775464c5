// SPDX-License-Identifier: Apache-2.0
// Quantities of a region at one moment: solid volume and stresses, from bodies and contacts. A
// grain is a body that moves freely. It is in the region if its mass centre is.
#pragma once

#include <span>
#include <vector>

#include "engine/geometry/cut_volume.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"

namespace talus {

// Volumes of the geometries of bodies, and arrays reused from call to call.
template <int D>
struct RegionScratch {
  std::vector<double> volumes;      // of whole geometries
  std::vector<double> sums;         // of chunks
  std::vector<Mat<D>> tensor_sums;  // of chunks
  std::vector<CutScratch<D>> cuts;  // of chunks
};

// Volume of grains within the region [m^D], cut exactly at its faces. Shapes of a compound that
// overlap count twice, as they do for its mass.
template <int D>
double solid_volume(const CutRegion<D>& region, const Bodies<D>& bodies, RegionScratch<D>& scratch);

// Love–Weber stress, pressure positive:
//     σ = 1/V Σ_c f_c ⊗ ℓ_c
// with the force f = percussion / h on b and the branch ℓ from the centre of a over the point of
// contact to the centre of b. A wall has no centre: the branch ends at the contact. Only the part
// of a branch within the region counts. So σ is the mean over the region of the forces through all
// planes.
template <int D>
Mat<D> contact_stress(const CutRegion<D>& region, const Bodies<D>& bodies,
                      std::span<const ActiveContact<D>> contacts, double h,
                      RegionScratch<D>& scratch);

// 1/V Σ m (v − v̄) ⊗ (v − v̄) over the grains in the region, v̄ being the velocity of their centre.
template <int D>
Mat<D> kinetic_stress(const CutRegion<D>& region, const Bodies<D>& bodies,
                      RegionScratch<D>& scratch);

// The same of a periodic cell that fills space, as a whole. Velocities are those against its flow
// L x. A branch goes to the image that touches.
template <int D>
double solid_volume(const Bodies<D>& bodies, RegionScratch<D>& scratch);
template <int D>
Mat<D> contact_stress(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts, double h,
                      RegionScratch<D>& scratch);
template <int D>
Mat<D> kinetic_stress(const Bodies<D>& bodies, RegionScratch<D>& scratch);

}  // namespace talus
