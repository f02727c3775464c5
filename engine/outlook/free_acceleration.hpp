// SPDX-License-Identifier: Apache-2.0
// Accelerations of a configuration before any constraint force acts.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Per body, the resting world last. Free bodies: −M⁻¹F [BBB16, (1a)], F of gravity, applied forces,
// springs and the gyroscopic torque. Driven bodies: what their drives prescribe, which is ∂²h/∂t²
// in the constraints on them [BBB16, §2.1]. `v` are the velocities at time t.
template <int D>
std::vector<Twist<D>> free_accelerations(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                         std::span<const Twist<D>> v);

}  // namespace talus
