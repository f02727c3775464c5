// SPDX-License-Identifier: Apache-2.0
// The data of a sweep, laid out for four contacts at a time (SIMD packets). Plain numbers only:
// this header is shared with code compiled for AVX2 (see lanes.hpp).
//
// The state of a sweep is the percussions p and the velocities v = M⁻¹H p they give the bodies, so
// û = Hᵀv + C p + b at every contact. A body owns a *line* of numbers; bodies that never move have
// none and share, in each block, a line that stays zero.
#pragma once

#include <cstddef>

namespace talus {

// Four balls in contact, percussions and b in world axes. The spin is scaled by the body's radius
// of gyration k = √(I/m): z = k ω, and arms by 1/k, so that one number, 1/m, is the whole mass:
//     Δv = P/m,  Δz = (arm/k × P)/m.
// Contact arms lie along the normal: arm_a = +a n, arm_b = −b n.
struct alignas(64) BallPacket {
  static constexpr int components = 3;         // of a percussion
  static constexpr int line = 8;               // v, 1/m, z, 0
  static constexpr bool uses_inertia = false;  // lines of inverse inertia
  double n[3][4];                              // from a to b
  double b[3][4];                              // û at p = 0 [m/s]
  double arm_a[4], arm_b[4];                   // a/k, b/k
  double mu[4];
  int at_a[4], at_b[4];  // where the bodies' lines begin, in numbers
};

// The local problem W = [W_N wᵀ; w W_T] of four contacts, tangents turned so that the Schur
// complement W_T − w wᵀ/W_N is diagonal, s₁ and s₂.
struct alignas(32) LocalBlocks {
  double W_N[4], w1[4], w2[4], s1[4], s2[4], mu[4];
};

// Four contacts of any bodies in space; t₂ = n × t₁. Percussions and b in the frame (n, t₁, t₂).
struct alignas(64) SpacePacket {
  static constexpr int components = 3;
  static constexpr int line = 8;              // v, 1/m, ω, 0
  static constexpr bool uses_inertia = true;  // lines of inverse inertia
  double n[3][4], t1[3][4];
  double arm_a[3][4], arm_b[3][4];
  double b[3][4];
  LocalBlocks local;
  int at_a[4], at_b[4];  // where the bodies' lines begin, in numbers
};

// Four contacts of any bodies in the plane; t = (−n_y, n_x).
struct alignas(64) PlanePacket {
  static constexpr int components = 2;
  static constexpr int line = 4;               // v, ω, 0
  static constexpr bool uses_inertia = false;  // lines of inverse inertia
  double n[2][4];
  double arm_a[2][4], arm_b[2][4];
  double b[2][4];
  double inverse_mass_a[4], inverse_inertia_a[4], inverse_mass_b[4], inverse_inertia_b[4];
  double W_N[4], w[4], s[4], mu[4];
  int at_a[4], at_b[4];  // where the bodies' lines begin, in numbers
};

// Where a line in space keeps 1/m, the one number of it that is no velocity.
constexpr int mass_at = 3;

// Beside a packet, where contacts yield: C_N of its four contacts, then C_T.
constexpr int compliances = 8;

// World inverse inertia of a body in space beside its line, at the same place: xx xy xz yy yz zz ·
// ·
constexpr int inertia_line = SpacePacket::line;

}  // namespace talus
