// SPDX-License-Identifier: Apache-2.0
// What corrections of positions at the end of a step did to the bodies: that of drift (drift.hpp)
// and that of joints (joints.hpp).
//
// Both move bodies in the kinetic metric by forces that are equal and opposite at one point, so
// Σ m Δx and Σ (m x × Δx + J Δφ) vanish but for what walls do. Velocities stay. Linear momentum is
// conserved therefore, angular momentum Σ (m x × v + J ω) is not: it changes by
//     Σ m Δx × v + (Q − I) J ω,   where Q turns a body, and its spin with it, by Δφ.
// To avoid that, velocities would have to change. It is recorded instead.
#pragma once

#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/step/ledger.hpp"

namespace talus {

template <int D>
class CorrectionRecord {
 public:
  void begin(const Bodies<D>& bodies);  // before anything is corrected

  // Afterwards: what has changed. `duration`, hθ, is how long the positions had followed the
  // velocities, which the correction of joints may change, too.
  void record(const Bodies<D>& bodies, double duration, Certificate& certificate) const;

 private:
  std::vector<Vec<D>> position_;
  std::vector<Orientation<D>> orientation_;
  std::vector<Vec<D>> velocity_;
  std::vector<Spin<D>> spin_;
};

}  // namespace talus
