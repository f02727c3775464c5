// SPDX-License-Identifier: Apache-2.0
// Which contacts enter the contact problem of a step, and with which law.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/geometry/space.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/material.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/compliant.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Two surfaces closer than this fraction of the smaller body touch: far above rounding, far below
// anything one can see, and scaling with the bodies.
constexpr double touching_fraction = 1e-9;

// The velocity gradient L of a periodic cell, like the velocities of bodies.
template <int D>
struct CellStep {
  Mat<D> minus = Mat<D>::Zero(), free = Mat<D>::Zero(), plus = Mat<D>::Zero();  // [1/s]
};

// What decides about one contact at q_m: its gap and its normal velocities.
struct Approach {
  double gap = 0;       // g_m [m]
  double touching = 0;  // gap below which the surfaces count as touching [m]
  double u_free = 0;    // without percussions, > 0 opens [m/s]
  double closing = 0;   // fastest approach if both bodies go on, or if either is stopped [m/s]
  double pull = 0;      // approach that adhesion adds if it acts [m/s]
  double u_minus = 0;   // at the start of the step [m/s]
};

// Closing speed below which an arriving contact settles instead of bouncing: what gravity, or the
// stress imposed on a periodic cell, gives in a few steps [m/s].
template <int D>
double settling_speed(const Scene<D>& scene) {
  return 3 * (scene.gravity.norm() + scene.cell_acceleration) * scene.h;
}

// How a contact takes part in a step of Moreau–Jean.
//  - touches: it does, or it closes fast within the step and bounces: Moreau's law on the weighted
//    mean of the velocities, b = u_free + E u⁻ with E = diag(ρ, τ, τ).
//  - arrives: it is near and does not bounce: the look-ahead law u_N ≥ −g_m/h, which brings it to
//    the surface at the next q_m instead of into it. (To bring it there by the end of this step,
//    u_N ≥ −g_m/(hθ), would be too early: the velocity it keeps would carry it inside by
//    h(1−θ)|u_N| before contacts are read again.) It enters even if it does not close by itself,
//    for a neighbour may push it.
//  - is pulled: it adheres over its gap and would stay out. It has a share in the contact problem
//  so
//    that it does not enter the surface within the step: û_N = u_N + g_m/(hθ).
//  - stays out: all others. With ρ > 0 and no closing, to meet its impact at the speed it has then.
// One that yields, with the stiffness k, always arrives: its force at the next q_m is that of a
// spring squeezed by the penetration there, P_N = h k max(0, −(g_m + h u_N)), which is the
// look-ahead law, whatever the sign of g_m, with the compliance 1/(h²k). This is Euler's implicit
// rule: stable for every h, and it takes energy out of what it does not resolve. A spring with
// restitution takes part as soon as it touches (compliant.hpp).
// Where impacts have a law that acts before the contact problem (impact.hpp), every contact bounces
// there as far as it does, and here ρ = τ = 0.
// The rule `moreau` knows only contacts that touch.
enum class Part { stays_out, touches, arrives, is_pulled };

template <int D>
Part part_of(const Approach& contact, const ContactLaw& law, const Scene<D>& scene) {
  if (law.bounces_by_spring())
    return spring_acts(contact.gap, contact.u_minus, scene.h) ? Part::arrives : Part::stays_out;
  if (contact.gap <= contact.touching && !law.yields()) return Part::touches;
  if (scene.contact_rule == ContactRule::moreau) return Part::stays_out;
  const Part far = law.adheres() && contact.gap <= law.range ? Part::is_pulled : Part::stays_out;
  const bool can_bounce = acts_before_contact(scene.impact_law) || law.restitution > 0;
  if (can_bounce && -contact.u_free > settling_speed(scene)) {
    const bool closes = contact.gap <= -contact.u_free * scene.theta * scene.h;
    return closes ? Part::touches : far;
  }
  const double closing =
      settling_speed(scene) + contact.pull + (can_bounce ? -contact.u_free : contact.closing);
  return contact.gap <= scene.h * closing ? Part::arrives : far;
}

// b of û = W p + b for a contact that takes part.
template <int D>
Vec<D> moreau_term(Part part, double gap, const Vec<D>& u_minus, const Vec<D>& u_free,
                   const ContactLaw& law, const Scene<D>& scene) {
  const bool bounced = acts_before_contact(scene.impact_law);
  const double rho = bounced ? 0 : law.restitution;
  const double tau = bounced ? 0 : law.tangential_restitution;
  Vec<D> b = u_free;
  b.template tail<D - 1>() += tau * u_minus.template tail<D - 1>();
  if (part == Part::touches) {
    b[0] += rho * u_minus[0];
  } else {
    b[0] += gap / (part == Part::is_pulled ? scene.theta * scene.h : scene.h);
  }
  return b;
}

// b in a sweeping process. By catching up the walls already stand at the end of the step, and
// û_N = u_N + g/h ≥ 0 makes the new position the projection on the linearised admissible set. The
// lazy selector asks of what touches that u_N ≥ 0 against the moving walls.
template <int D>
Vec<D> sweeping_term(double gap, const Vec<D>& u_free, const Scene<D>& scene) {
  Vec<D> b = u_free;
  if (scene.dynamics == Dynamics::sweeping) b[0] = gap / scene.h;
  return b;
}

// Whether a contact adheres: where it touches, and within the range of its law. One that pressed in
// the last step, by p of its contact problem, touches still: its gap is what the tolerance of the
// solver has left.
template <int D>
bool adheres(double gap, double touching, const Vec<D>& last, const ContactLaw& law) {
  return law.adheres() && (gap <= std::max(touching, law.range) || last[0] > 0);
}

// How far bodies can come in `duration`: displacement by v_free, and a margin for spin, for what
// gravity and adhesion add in a step or two, and for surfaces that just touch.
template <int D>
void find_reach(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_free,
                double duration, std::vector<Reach<D>>& reach);

// Gap below which two bodies touch [m].
template <int D>
double touching_gap(const Bodies<D>& bodies, const ContactKey& key);

// Where a percussion acts. On two free bodies at one point, midway between the surfaces, so that
// angular momentum is conserved; if only one is free, on its surface, so that its lever arm is
// right whatever the gap.
template <int D>
Vec<D> point_of_action(const Bodies<D>& bodies, const Contact<D>& contact);

// What part each contact takes in the step, and the the indices of those that do not stay out.
template <int D>
void find_parts(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                std::span<const Twist<D>> v_free, const CellStep<D>& cell,
                std::span<const Contact<D>> found, std::vector<Part>& parts,
                std::vector<int>& active);

}  // namespace talus
