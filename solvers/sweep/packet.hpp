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

// The same with elliptic friction, where the tangents are neither unit nor orthogonal.
struct alignas(64) StretchedPacket : SpacePacket {
  double t2[3][4];
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

// The same with rolling and spinning friction (problem/rolling.hpp): percussions are followed by
// moments and û by ℓ ω, in units of a length ℓ of each contact.

// Of balls the vector kept is w = m × n + (m·n) n, the rolling part of the moment turned by a right
// angle. A percussion p_T and w_T then meet through multiples of the unit matrix:
//     [û_T; y_T] = [W_T c; c W_M] [p_T; w_T] + …,   y = ℓ ω × n + ℓ (ω·n) n.
struct alignas(64) RollingBallPacket : BallPacket {
  static constexpr int components = 6;
  double y[3][4];                  // at p = 0 [m/s]
  double turn_a[4], turn_b[4];     // ℓ/k, which makes ℓ ω of z
  double rolling[4], spinning[4];  // r/ℓ, s/ℓ
};

// Moments and spins along n, t₁, t₂. W holds the lower triangle of the contact's block, by rows;
// the law is solved contact by contact.
struct alignas(64) RollingSpacePacket : SpacePacket {
  static constexpr int components = 6;
  double omega[3][4];  // ℓ ω at p = 0 [m/s]
  double unit[4];      // ℓ
  double rolling[4], spinning[4];
  double W[21][4];
};

// In the plane the moment is one number. Contacts of discs, whose normal motion nothing else turns,
// are solved four at a time, others contact by contact.
struct alignas(64) RollingPlanePacket : PlanePacket {
  static constexpr int components = 3;
  double omega[4];  // ℓ ω at p = 0 [m/s]
  double unit[4];   // ℓ
  double rolling[4];
  double W[6][4];  // NN, TN, TT, MN, MT, MM
};

// Where a line in space keeps 1/m, the one number of it that is no velocity.
constexpr int mass_at = 3;

// Beside a packet, where contacts yield or have cohesion: C_N of its four contacts, then C_T, then
// c.
constexpr int compliances = 12, cohesion_at = 8;

// World inverse inertia of a body in space beside its line, at the same place: xx xy xz yy yz zz ·
// ·
constexpr int inertia_line = SpacePacket::line;

}  // namespace talus
