// SPDX-License-Identifier: Apache-2.0
// Whether an impact is admissible, whatever law made it [B12, §3.2.2]: kinematically (no contact
// closes afterwards), kinetically (percussions in their cones) and energetically (T⁺ ≤ T⁻). The
// energy is split by contact through T⁺ − T⁻ = Σ ½ P·(u⁺ + u⁻), Thomson and Tait's formula
// [B12, (46)].
#pragma once

#include <span>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

// What a contact went through in an impact.
template <int D>
struct ImpactRecord {
  double friction = 0;
  Vec<D> percussion;       // on b, in the contact frame [N s]
  Vec<D> u_minus, u_plus;  // [m/s]
  // What forces add to u⁻ before the percussion acts, where both are of one time step: gravity that
  // brings a contact back which had begun to open does the work that the percussion undoes.
  Vec<D> smooth = Vec<D>::Zero();
  // ρ of Moreau's law u_N⁺ + ρ u_N⁻ ≥ 0, by which a contact that was opening may close afterwards
  // with the part ρ of that speed.
  double restitution = 0;

  double work() const { return 0.5 * percussion.dot(u_plus + u_minus); }  // [J]
};

struct ImpactJudgement {
  double closing = 0;  // worst −u_N⁺, as a part of the fastest approach
  double cone = 0;     // worst distance of a percussion from its cone, as a part of the largest
  double gain = 0;  // T⁺ − T⁻ where positive, as a part of the energy turned over: the larger of
                    // ½ Σ |P·u⁻| and ½ max‖P‖ times the fastest approach
  double work = 0;  // T⁺ − T⁻ [J]

  bool kinematic(double tolerance) const { return closing <= tolerance; }
  bool kinetic(double tolerance) const { return cone <= tolerance; }
  bool energetic(double tolerance) const { return gain <= tolerance; }
  bool admissible(double tolerance) const {
    return kinematic(tolerance) && kinetic(tolerance) && energetic(tolerance);
  }
};

// What an impact may miss by, where contact problems are solved to a tolerance.
inline double admissible_tolerance(double solved) { return solved > 1e-6 ? solved : 1e-6; }

// `missed` is the error of the velocities [m/s] where the percussions come from an iteration.
// Violations below it are ignored.
template <int D>
ImpactJudgement judge_impact(std::span<const ImpactRecord<D>> contacts, double missed = 0);

}  // namespace talus
