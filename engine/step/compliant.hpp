// SPDX-License-Identifier: Apache-2.0
// Compliant contacts with restitution: a spring and a dashpot that grow with the penetration x,
//     F = k xʷ + γ x^((w−1)/2) ẋ,   F ≥ 0,
// w = 1 linear, w = 3/2 Hertz [Be, pp. 71–72]. In y = x^((w+1)/2) the speed obeys the equation of a
// linear oscillator with stiffness 2k/(w+1) and damping 2γ/(w+1), so the coefficient of restitution
// does not depend on speed, and with γ = ζ √(2(w+1) k m) it depends on ζ alone. Two misprints of
// the erratum: its p = (1−w)/2 must read (w−1)/2, its ln(e²) ln²e.
//
// The erratum's α = −ln e √(2(1+w)/(π² + ln²e)), that is ζ = −ln e/√(π² + ln²e), gives e if the
// contact pulls until x = 0. Contacts here only push: they end where F = 0. That gives a larger e
// (0.550 for 0.5), so ζ follows from the condition that e is right for them.
#pragma once

#include "engine/model/material.hpp"

namespace talus {

// e of the damping ratio ζ ≥ 0, for contacts that only push.
double restitution_of(double damping_ratio);

// ζ of a coefficient of restitution in (0, 1].
double damping_ratio_of(double restitution);

// What the contact adds to û = W P + u_free: û_N = u⁺ + compliance P + bias.
struct SpringResponse {
  double compliance = 0;  // [1/kg]
  double bias = 0;        // [m/s]
};

// The force of a step of length h from the gap at its middle, the normal velocity u⁻ at its start
// and the inverse mass W_NN of the contact. Second order in h. With Ω² = h² W_NN dF/dx and
// s = Ω²/(1 + Ω²) it is
//     P/h = F̄ − s h k_t (u⁺ − u⁻) − c ((1−φ) u⁺ + φ u⁻),   φ = (1−s)/2,
// the means of spring and dashpot along the way of the step: the central scheme where the step
// resolves the contact (s → 0), Euler's implicit rule where it does not (s → 1).
SpringResponse spring_response(const ContactLaw& law, double gap, double u_minus,
                               double inverse_mass, double h);

// Whether the contact touches before the next look at it.
inline bool spring_acts(double gap, double u_minus, double h) {
  return gap < 0 || gap + h * u_minus < 0;
}

}  // namespace talus
