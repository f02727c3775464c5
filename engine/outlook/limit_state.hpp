// SPDX-License-Identifier: Apache-2.0
// Limit analysis of a configuration of rigid bodies: the largest multiplier λ of a live load for
// which contact forces p in their friction cones and forces r of joints hold every body,
//     maximise λ  over  H p + J r + f_dead + λ f_live = 0,  p ∈ K_μ,                   (1)
// a second-order cone programme over the contact graph. Its dual is the collapse mechanism:
//     minimise −f_dead·V  over twists V with  f_live·V = 1,  JᵀV = 0,  HᵀV ∈ K_μ*.        (2)
// HᵀV ∈ K_μ* says u_N ≥ μ‖u_T‖: what slides dilates (*associated* friction). Coulomb's law has no
// dilatancy. Every state of rest has forces as in (1), so λ of (1) is an upper bound on the
// strength under Coulomb's law, and not always reached. Bodies and displacements: those of the
// configuration, in small motion.
//
// Livesley 1978; Gilbert, Melbourne 1994; Orduña, Lourenço 2005; Portioli et al. 2014.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "engine/outlook/active_constraints.hpp"
#include "solvers/complementarity/cone_program.hpp"

namespace talus {

// On one body: at the mass centre [N], and torque [N m].
template <int D>
struct BodyLoad {
  Vec<D> force = Vec<D>::Zero();
  Spin<D> torque = Spin<D>::Zero();

  bool is_zero() const { return force.isZero(0) && torque.isZero(0); }
};

template <int D>
struct LimitState {
  ConeVerdict verdict = ConeVerdict::open;  // infeasible: no λ at all; unbounded: every λ
  double multiplier = 0;                    // of (1)
  double dual = 0;                          // the same by (2)
  double error = 0;                         // ConeSolution::error
  int iterations = 0;

  std::vector<Vec<D>> contact;  // force on b, (N, T₁(, T₂)) [N]; by ActiveConstraints::unilateral
  std::vector<double> joint;    // [N] or [N m] by ::bilateral

  // V of all bodies, the world last: the mechanism of (2); where there are no forces for any λ, how
  // the bodies begin to fall; where λ has no bound, zero. Its fastest point has the speed 1.
  std::vector<Twist<D>> mechanism;
  std::vector<Vec<D>> velocity;  // of b against a in it, as `contact`
};

// The bounds of a force. `known`: whether their programmes were solved.
struct ForceRange {
  double least = 0, largest = 0;  // [N]; may be infinite
  bool known = false;

  // To what the programmes are solved, relative to the least force.
  bool is_unique() const {
    return known && std::isfinite(largest) && largest - least <= 1e-6 * std::abs(largest);
  }
};

template <int D>
class LimitAnalysis {
 public:
  // Everything is taken to be at rest. The dead load is that of time t: gravity, applied forces,
  // springs, adhesion. Friction of joints and rolling friction are left out, which makes less of
  // the strength; motors hold.
  LimitAnalysis(const Scene<D>& scene, const Bodies<D>& bodies, double t);

  const ActiveConstraints<D>& active() const { return active_; }
  const std::vector<BodyLoad<D>>& dead() const { return dead_; }
  // A contact force in world axes, and the smaller size of the bodies of a row [m].
  Vec<D> world_force(std::size_t contact, const Vec<D>& force) const;
  double smaller_size(const LinearRow<D>& row) const;

  // Bodies that are loaded and that no contact or joint holds: none of them can rest.
  std::vector<int> held_by_nothing(std::span<const BodyLoad<D>> live) const;
  // Whether the live load does work in any motion of the bodies that contacts or joints hold.
  bool has_effect(std::span<const BodyLoad<D>> live) const;

  // The largest λ, and the least.
  LimitState<D> largest(std::span<const BodyLoad<D>> live) const;
  LimitState<D> least(std::span<const BodyLoad<D>> live) const;

  // A support that yields: the least force with which the bodies at rest press on it along its
  // motion `w` (a power, for |w| = 1), and by duality the mechanism with which they follow it.
  LimitState<D> settle(int support, const Twist<D>& w) const;

  // The least and the largest sum of the normal forces of some contacts among all forces as in (1)
  // for this λ, which must be admissible.
  ForceRange normal_force(std::span<const int> contacts, std::span<const BodyLoad<D>> live,
                          double multiplier) const;

 private:
  Eigen::VectorXd kinetic(std::span<const BodyLoad<D>> loads) const;  // M^(−1/2) f
  ConeProgram program(std::span<const BodyLoad<D>> live) const;
  LimitState<D> state(const ConeSolution& solution, int free_before_joints) const;
  void normalise(LimitState<D>& state) const;
  const LinearRow<D>& component(std::size_t contact, int k) const;  // of its velocity; 0: normal

  const Bodies<D>& bodies_;
  ActiveConstraints<D> active_;
  std::vector<int> dof_of_body_;
  Eigen::Index freedoms_ = 0;
  std::vector<BodyLoad<D>> dead_;
  double unit_ = 1;            // of loads in the metric of M⁻¹
  ConeProgram equilibrium_;    // without a live load
  std::vector<Vec<D>> scale_;  // p = scale x, of a contact; zero where it has no such component
  std::vector<double> joint_scale_;
};

}  // namespace talus
