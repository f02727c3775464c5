// SPDX-License-Identifier: Apache-2.0
// Statistics of the contacts that push within a region: fabric tensor and distribution of normal
// forces. A contact is in the region if its point is; without a region all are. Contacts with walls
// count. A contact that carries no force does not.
#pragma once

#include <span>

#include "engine/geometry/cut_volume.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/measure.hpp"

namespace talus {

// Fabric tensor of contact normals [Satake, Proc. IUTAM Conf. on Deformation and Failure of
// Granular Materials, Delft 1982]:
//     F = 1/N Σ n ⊗ n,   tr F = 1
// NaN without contacts.
template <int D>
Mat<D> fabric_tensor(const CutRegion<D>* region, std::span<const ActiveContact<D>> contacts);

// Mean and largest normal force [N], and the number of contacts in each bin: bin k of width
// w = largest/bins holds k w ≤ f/⟨f⟩ < (k + 1) w, the last one also all that is larger. The row has
// 2 + bins numbers. Without contacts the two forces are NaN.
template <int D>
void force_distribution(const CutRegion<D>* region, std::span<const ActiveContact<D>> contacts,
                        double h, std::span<double> row, const ForceHistogram& histogram);

}  // namespace talus
