// SPDX-License-Identifier: Apache-2.0
// Contacts → contact problem; percussions → velocities.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/step_data.hpp"
#include "engine/step/warm_start.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Velocity arrays hold one entry per body and a last one for the world at rest.

// Masses at the present orientations, the world last; M = I in a sweeping process.
template <int D>
void mass_blocks(const Bodies<D>& bodies, const Scene<D>& scene, std::vector<MassBlock<D>>& blocks);

// v⁻ and v_free = v⁻ + M⁻¹ h F of every body.
template <int D>
void free_velocities(const Bodies<D>& bodies, std::span<const Impulse<D>> external,
                     std::vector<Twist<D>>& v_minus, std::vector<Twist<D>>& v_free);

// Where a contact acts on its bodies.
template <int D>
ContactRow<D> contact_row(const Bodies<D>& bodies, const Contact<D>& contact);

// The contact problem of the active contacts: contacts, problem (with springs as linear rows) and
// the guess of their rows.
//
// Adhesion gives the impulse −h F n wherever it acts, whatever the contact does, and so has a part
// in v_free. What the contact problem finds is the rest, p = P + h F n, and the law of the shifted
// cone, ‖P_T‖ ≤ μ (P_N + h F), is Coulomb's law of p: W, the solver and its error know of no
// adhesion.
//
// Tangential springs of compliant contacts go on from the force they had in the last step: a
// stretching by h u less what slides changes it by k h u, so the velocity of sliding is
//     û_T = u_T + (P_T − P_T,last)/(h²k).
template <int D>
void assemble(const Bodies<D>& bodies, const Scene<D>& scene, const LastImpulses<D>& last,
              StepData<D>& step);

// A guess for the percussions: those of the last step, where no impact happens now.
template <int D>
void warm_start(const Scene<D>& scene, StepData<D>& step);

// v⁺ = v_impact + M⁻¹ H p, and percussions and velocities of every contact.
template <int D>
void apply_percussions(const ContactProblem<D>& problem, const Percussions<D>& p,
                       std::span<const Twist<D>> v_impact, std::vector<Twist<D>>& v_plus,
                       std::vector<ActiveContact<D>>& contacts);

// Adds the velocity of the image that b is, L A n, to u⁺ of the contacts, if L is not zero.
template <int D>
void carry_images(const ContactProblem<D>& problem, const Mat<D>& L,
                  std::vector<ActiveContact<D>>& contacts);

}  // namespace talus
