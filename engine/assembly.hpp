// Contacts → contact problem; percussions → velocities.
#pragma once

#include <span>
#include <vector>

#include "engine/activation.hpp"
#include "engine/bodies.hpp"
#include "engine/broadphase.hpp"
#include "engine/contact.hpp"
#include "engine/force.hpp"
#include "engine/scene.hpp"
#include "engine/warm_start.hpp"
#include "solvers/contact_problem.hpp"

namespace talus {

// A contact of the step's problem with what passed through it.
template <int D>
struct ActiveContact {
  Contact<D> contact;
  Mat<D> frame;  // columns n, t₁(, t₂)
  ContactLaw law;
  Vec<D> percussion;       // on b, in the frame [N s]
  Vec<D> u_minus, u_plus;  // contact velocity before and after, in the frame [m/s]
};

// Velocity arrays hold one entry per body and a last one for the world at rest.

// Masses at the present orientations, the world last; M = I in the sweeping process.
template <int D>
void mass_blocks(const Bodies<D>& bodies, const Scene<D>& scene, std::vector<MassBlock<D>>& blocks);

// v⁻ and v_free = v⁻ + M⁻¹ h F of every body.
template <int D>
void free_velocities(const Bodies<D>& bodies, std::span<const Impulse<D>> external,
                     std::vector<Twist<D>>& v_minus, std::vector<Twist<D>>& v_free);

// How far bodies can come in `duration`: displacement by v_free, and a margin for spin, for what
// gravity adds in a step or two, and for surfaces that just touch.
template <int D>
void find_reach(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_free,
                double duration, std::vector<Reach<D>>& reach);

// Gap below which two bodies touch [m].
template <int D>
double touching_gap(const Bodies<D>& bodies, const ContactKey& key);

// Where a contact acts on its bodies.
template <int D>
ContactRow<D> contact_row(const Bodies<D>& bodies, const Contact<D>& contact);

// What part each contact takes in the step, and the numbers of those that do not stay out.
template <int D>
void find_parts(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                std::span<const Twist<D>> v_free, std::span<const Contact<D>> found,
                std::vector<Part>& parts, std::vector<int>& taking_part);

// The problem of the contacts that take part. Springs are added as linear rows.
template <int D>
void assemble(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Contact<D>> found,
              std::span<const Part> parts, std::span<const int> taking_part,
              std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_free,
              std::vector<ActiveContact<D>>& contacts, ContactProblem<D>& problem,
              std::vector<double>& row_guess);

// Percussions of the last step where the same features touched then and no impact happens now. And
// tangential springs of contacts that yield go on from the force they had: a stretching by h u less
// what slides changes it by k h u, so the velocity of sliding is û_T = u_T + (P_T −
// P_T,last)/(h²k).
template <int D>
void warm_start(std::span<const StoredPercussion<D>> stored, const Scene<D>& scene,
                std::span<const ActiveContact<D>> contacts, ContactProblem<D>& problem,
                std::vector<Vec<D>>& percussions);

// v⁺ = v_free + M⁻¹ H p, and percussions and velocities of every contact.
template <int D>
void apply_percussions(const ContactProblem<D>& problem, const Percussions<D>& p,
                       std::span<const Twist<D>> v_free, std::vector<Twist<D>>& v_plus,
                       std::vector<ActiveContact<D>>& contacts);

}  // namespace talus
