// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with rolling and spinning friction. Beside the percussion p a contact passes a
// moment about its point, m_R about the tangents and in space m_S about the normal, and each obeys
// a law of maximal dissipation of its own, with lengths r and s. As one inclusion of the wrench x =
// (p, m) and the velocities y = (û, ω), ω the relative spin:
//     −(y + (μ‖û_T‖ + r‖ω_R‖ + s|ω_S|) n) ∈ N_K(x),
//     K = { x : ‖p_T‖ ≤ μ p_N, ‖m_R‖ ≤ r p_N, |m_S| ≤ s p_N }                               (1)
// which says: û_N ≥ 0 ⟂ p_N ≥ 0, and each part of x is the one of its disc that −y makes most work
// with.
//
// Moments and spins are used in units of a length ℓ of the contact, m/ℓ and ℓ ω, so that all
// components of x and of y have the same unit and (1) has r/ℓ and s/ℓ for coefficients.
#pragma once

#include "solvers/math/vec.hpp"

namespace talus {

// N, T(, T₂), then the moment in the contact frame: in space about n and the tangents, in the plane
// the one there is.
template <int D>
constexpr int wrench_dim = D + spin_dim<D>;
template <int D>
using Wrench = Vec<wrench_dim<D>>;
template <int D>
using WrenchMat = Mat<wrench_dim<D>>;

struct RollingFriction {
  double rolling = 0, spinning = 0;  // r, s ≥ 0 [m]; spinning in space only

  bool acts() const { return rolling > 0 || spinning > 0; }
};

template <int D>
struct RollingCoulomb {
  double mu = 0, rolling = 0, spinning = 0;  // ≥ 0; the latter two in units of ℓ

  RollingCoulomb() = default;
  RollingCoulomb(double friction, const RollingFriction& lengths, double unit)
      : mu(friction), rolling(lengths.rolling / unit), spinning(lengths.spinning / unit) {}

  Wrench<D> project(const Wrench<D>& x) const;  // nearest point of K

  // The x that obeys (1) with y = W x + q, for W symmetric positive definite in what has a
  // coefficient. Where several exist, take-off before stick before what Newton finds from there.
  Wrench<D> solve(const WrenchMat<D>& W, const Wrench<D>& q) const;

  // ‖x − project(x − ρ ỹ)‖² / ρ², a squared velocity; zero exactly when (1) holds. ρ > 0 [kg].
  double residual_squared(const Wrench<D>& y, const Wrench<D>& x, double rho) const;

  // Into K to the last bit, if x is outside by rounding.
  void put_inside(Wrench<D>& x) const;
};

}  // namespace talus
