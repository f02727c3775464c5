// SPDX-License-Identifier: Apache-2.0
// The certificate of a step: what happened at the contacts, how exactly the contact problem was
// solved, and where the energy went.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "engine/step/step_data.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

struct Certificate {
  std::int64_t step = 0;  // number of the step that has just been made, from 1
  double time = 0;        // at its end [s]

  int contacts = 0;  // in the contact problem
  int sticking = 0, sliding = 0, separating = 0;
  double max_penetration = 0, mean_penetration = 0;  // at q_m, over contacts with g < 0 [m]
  double max_relative_penetration = 0;  // of g < 0, over the half width of the thinner body
  int passed_through = 0;  // pairs of bodies that met between two looks for contacts (passage.hpp)

  int sweeps = 0;
  double error = 0;        // ContactError::relative of the step, measured on v⁺
  double worst_error = 0;  // and ContactError::worst
  bool converged = true;   // error ≤ the tolerance asked for

  double kinetic = 0;    // at the end of the step [J]
  double potential = 0;  // gravity and springs [J]

  // Of the free bodies at the end of the step; in the plane z or x and y are zero.
  double momentum_x = 0, momentum_y = 0, momentum_z = 0;  // Σ m v [kg m/s]
  double angular_momentum_x = 0, angular_momentum_y = 0,
         angular_momentum_z = 0;       // Σ m x × v + J ω, about the origin [kg m²/s]
  double max_speed = 0, max_spin = 0;  // of mass centres [m/s], of bodies [rad/s]

  double normal_impulse = 0, friction_impulse = 0;  // Σ P_N and Σ ‖P_T‖ over the contacts [N s]

  // Work done in the step [J]; together they are T⁺ − T⁻, to rounding.
  double contact_work = 0;   // ½ pᵀ(U⁺ + U⁻) + ½ mᵀ(ω⁺ + ω⁻): ≤ 0 is dissipated
  double friction_work = 0;  //   of that, by tangential components: lost in sliding
  double normal_work = 0;    //   and by normal ones: lost at impacts, all but restitution
  double rolling_work = 0;   //   and by moments: lost in rolling and spinning
  double adhesion_work = 0;  // −½ h F (U_N⁺ + U_N⁻): < 0 draws bodies apart
  double bond_work = 0;      // of bonds: < 0 is the energy of cracks
  double external_work = 0;  // gravity and applied forces
  double spring_work = 0;    // springs and dampers
  double joint_work = 0;     // joints: motors, friction, stops, and keeping velocities in line
  double driven_work = 0;    // put in by driven bodies
  double cell_work = 0;      // put in by the deformation of a periodic cell
  double defect = 0;         // T⁺ − T⁻ − (all of these)
  double turnover = 0;  // the energy the defect is measured against: T⁻ + T⁺ + Σ|work| per contact

  // Impacts, clusters of contacts of which one closes fast (impact.hpp), and how far the worst of
  // them is from being admissible (ImpactJudgement).
  int impacts = 0, impact_contacts = 0;
  int impact_failed = 0;        // of them, not solved within their budget
  int impact_inadmissible = 0;  // of them, breaking one of the three by more than the tolerance
  double impact_work = 0;       // T⁺ − T⁻ over all of them [J], a part of contact_work
  double impact_closing = 0, impact_cone = 0, impact_gain = 0;

  // What corrections of positions did: that of drift (drift.hpp) and that of joints (joints.hpp).
  double correction_work = 0;  // energy added [J]
  // Angular momentum added [kg m²/s]. Linear momentum they leave alone.
  double correction_angular_momentum_x = 0, correction_angular_momentum_y = 0,
         correction_angular_momentum_z = 0;
  // How far free bodies end from where their velocities lead, x⁻ + h(1−θ) v⁻ + hθ v⁺, at most.
  double max_correction = 0, max_correction_turn = 0;  // [m], [rad]
  int region = 0;                  // a ContactRegion, at q_m with v⁻ (monitor.hpp)
  int solutions = 0;               // Solutions of the contact problem (second_solution.hpp)
  double solution_difference = 0;  // by which two of them differ [m/s]
  double joint_drift = 0;  // by how much a joint is apart at the end of the step, at worst [m]

  // Who is there in the step, and came and went up to its start (population.hpp).
  std::int64_t bodies = 0;                           // there, fixed ones among them
  std::int64_t born = 0, removed = 0;                // so far
  std::int64_t waiting = 0;                          // grains that are due and find no place
  double mass = 0, born_mass = 0, removed_mass = 0;  // of the same [kg]
  double inflow_kinetic = 0, inflow_potential = 0;   // brought by those born at the start of the
                                                     // step, less what those removed took [J]
};

bool finite(const Certificate& certificate);  // every number of it

// Keeps the larger of both, and once one is not a number, that: std::max would drop it.
inline void keep_largest(double& largest, double value) {
  if (!std::isnan(largest) && !(value <= largest)) largest = value;
}

template <int D>
double kinetic_energy(const Bodies<D>& bodies);
template <int D>
double kinetic_energy_of(const Bodies<D>& bodies, std::size_t body);

// Of gravity and springs, up to a constant.
template <int D>
double potential_energy(const Bodies<D>& bodies, const Scene<D>& scene);

// Counts contacts.
template <int D>
void record_contacts(std::span<const ActiveContact<D>> contacts, Certificate& certificate);

// Judges the answer to the step's contact problem by the velocities that bodies have with it,
//     û = u⁺ + (b − u_free) + C p,
// whatever the solver says of itself.
template <int D>
class ContactJudge {
 public:
  ContactError operator()(const ContactProblem<D>& problem, const Islands<D>& islands,
                          const Percussions<D>& p, std::span<const Twist<D>> v_free,
                          std::span<const Twist<D>> v_plus);

 private:
  Velocities<D> u_hat_;
  std::vector<double> rounding_;
  ErrorMeasure<D> measure_;
};

// Penetration, absolute and relative.
template <int D>
void record_penetration(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
                        Certificate& certificate);

// Linear and angular momentum, and the fastest of the free bodies.
template <int D>
void record_momentum(const Bodies<D>& bodies, Certificate& certificate);

// Work of a scalar row's percussion p over a jump of velocities: on its relative velocity, and what
// driven bodies, of zero inverse mass, add to that.
struct RowWork {
  double on_row = 0, driven = 0;  // [J]
};
template <int D>
RowWork row_work(const LinearRow<D>& row, double p, std::span<const MassBlock<D>> mass,
                 std::span<const Twist<D>> v_minus, std::span<const Twist<D>> v_plus);

// Work of a bond, ½ Pᵀ(U⁺ + U⁻) of what its contact passes beyond that of a dry one: of tension,
// and of the share of P_T that friction μ P_N has not in its bound. The rest is that of contacts.
struct BondWork {
  double bond = 0, normal = 0, friction = 0;  // [J]
};
template <int D>
BondWork bond_work(const ActiveContact<D>& contact);

// Work of everything that acted in the step, by the identity of the discrete scheme at q_m,
//     T⁺ − T⁻ = ½ (v⁺ + v⁻)ᵀ (h F + H P).
// Contacts work on the relative velocity ½ Pᵀ(U⁺ + U⁻), of which the part of adhesion, with
// P = p − h F n, is a line of its own, and so is that of bonds; so is what driven bodies add to
// that, and −½ Pᵀ(L⁺ + L⁻) A n of the images in a periodic cell. Rows from first_joint_row on are
// joints', those before it springs'.
template <int D>
void record_work(const Bodies<D>& bodies, std::size_t first_joint_row, const StepData<D>& step,
                 Certificate& certificate);

}  // namespace talus
