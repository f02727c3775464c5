// SPDX-License-Identifier: Apache-2.0
// Applied forces, and springs as rows of the contact problem.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Impulse and moment of impulse of a force on one body over a step.
template <int D>
struct Impulse {
  Vec<D> linear = Vec<D>::Zero();     // [N s]
  Spin<D> angular = Spin<D>::Zero();  // [N m s]
};

// h F(t) on every body: gravity and applied forces, at the configuration the bodies have now.
template <int D>
void external_impulses(const Bodies<D>& bodies, const Scene<D>& scene, double t, Readings readings,
                       std::vector<Impulse<D>>& impulses);

// The θ-implicit spring and damper, force −k (ℓ − ℓ₀) − c ℓ̇ at t_{k+θ}, as a soft bilateral row.
// With n the direction at q_m, S = h²θ²k + hθc and u = ℓ̇,
//     p = −S u⁺ − p₀,   p₀ = h [ k (ℓ_m − ℓ₀ − h(1−θ)² u⁻) + c (1−θ) u⁻ ],
// since ℓ_{k+θ} = ℓ_m − h(1−θ)² u⁻ + hθ² u⁺. Eliminating p gives M̂ = M + hθC + h²θ²K.
// Velocities are per body, with a resting world appended; the guess for each row's percussion goes
// with it.
template <int D>
void spring_rows(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                 std::span<const Twist<D>> v_free, std::vector<LinearRow<D>>& rows,
                 std::vector<double>& guess);

// ½ k (ℓ − ℓ₀)², summed over the springs.
template <int D>
double spring_energy(const Bodies<D>& bodies, const Scene<D>& scene);

}  // namespace talus
