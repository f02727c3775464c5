// Which contacts enter the contact problem of a step, and with which law.
#pragma once

#include "engine/material.hpp"
#include "engine/scene.hpp"
#include "engine/space.hpp"

namespace talus {

// Two surfaces closer than this fraction of the smaller body touch: far above rounding, far below
// anything one can see, and scaling with the bodies.
constexpr double touching_fraction = 1e-9;

// What decides about one contact at q_m.
template <int D>
struct Approach {
  double gap = 0;       // g_m [m]
  double touching = 0;  // gap below which the surfaces count as touching [m]
  Vec<D> u_minus;       // contact velocities before the step and without percussions [m/s]
  Vec<D> u_free;
  double closing = 0;  // fastest approach if both bodies go on, or if either is stopped [m/s]
};

// Closing speed below which an arriving contact settles instead of bouncing: what gravity gives in
// a few steps [m/s].
template <int D>
double settling_speed(const Scene<D>& scene) {
  return 3 * scene.gravity.norm() * scene.h;
}

// b of û = W p + b for a contact of Moreau–Jean stepping; false if it stays out of the problem.
//  - It touches, or it closes fast within the step and bounces: Moreau's law on the weighted mean
//    of the velocities, b = u_free + E u⁻ with E = diag(ρ, τ, τ).
//  - It is near and does not bounce: the look-ahead law u_N ≥ −g_m/h, which brings it to the
//    surface at the next q_m instead of into it. (To bring it there by the end of this step,
//    u_N ≥ −g_m/(hθ), would be too early: the velocity it keeps would carry it inside by
//    h(1−θ)|u_N| before contacts are read again.) It enters even if it does not close by itself,
//    for a neighbour may push it.
//  - With ρ > 0 and no closing it stays out, to meet its impact at the speed it has then.
//  - It yields, with the stiffness k: its force at the next q_m is that of a spring squeezed by the
//    penetration there, P_N = h k max(0, −(g_m + h u_N)), which is the look-ahead law, whatever the
//    sign of g_m, with the compliance 1/(h²k). This is Euler's implicit rule: stable for every h,
//    and it takes energy out of what it does not resolve.
// Where impacts have a law that acts before the contact problem (impact.hpp), every contact bounces
// there as far as it does, and here ρ = τ = 0.
// The rule `moreau` knows only the first case, and only contacts that touch.
template <int D>
bool activate(const Approach<D>& contact, const ContactLaw& law, const Scene<D>& scene, Vec<D>& b) {
  const bool touches = contact.gap <= contact.touching;
  const bool bounced = acts_before_contact(scene.impact_law);
  const bool can_bounce = bounced || law.restitution > 0;
  const bool bounces = can_bounce && -contact.u_free[0] > settling_speed(scene);
  const double rho = bounced ? 0 : law.restitution;
  const double tau = bounced ? 0 : law.tangential_restitution;
  b = contact.u_free;
  b.template tail<D - 1>() += tau * contact.u_minus.template tail<D - 1>();
  if (touches && !law.yields()) {
    b[0] += rho * contact.u_minus[0];
    return true;
  }
  if (scene.contact_rule == ContactRule::moreau) return false;
  if (bounces) {
    b[0] += rho * contact.u_minus[0];
    return contact.gap <= -contact.u_free[0] * scene.theta * scene.h;
  }
  b[0] += contact.gap / scene.h;
  const double closing =
      settling_speed(scene) + (can_bounce ? -contact.u_free[0] : contact.closing);
  return contact.gap <= scene.h * closing;
}

// The same for the sweeping process, where walls already stand at the end of the step: û_N = u_N +
// g/h ≥ 0 makes the new position the projection on the linearised admissible set.
template <int D>
void catch_up(const Approach<D>& contact, const Scene<D>& scene, Vec<D>& b) {
  b = contact.u_free;
  b[0] = contact.gap / scene.h;
}

}  // namespace talus
