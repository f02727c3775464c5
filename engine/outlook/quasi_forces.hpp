// SPDX-License-Identifier: Apache-2.0
// The quasi-Lagrange dynamics of a configuration [B12, (10), (24)]:
//     q̈_norm + F_norm = n_qᵀ∇h λ_n + n_qᵀH_T λ_t,   q̈_tan + F_tan = t_qᵀH_T λ_t
// with F_norm = n_qᵀF − d/dt(n_qᵀM) q̇, F_tan = t_qᵀF − d/dt(t_qᵀM) q̇: what the quasi-velocities
// would lose in a unit of time without contact forces.
#pragma once

#include <optional>
#include <span>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/scene.hpp"
#include "solvers/impact/quasi_velocities.hpp"

namespace talus {

struct QuasiForces {
  Eigen::VectorXd normal, tangential;  // [√J/s]
};

// Of these contacts, and the joints whose rows (in the order of add_constraints) are given, at time
// t. By central differences of v along the motion without contact forces; empty where a contact is
// not found a little later or earlier.
template <int D>
std::optional<QuasiForces> quasi_forces(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                        std::span<const ContactKey> contacts,
                                        std::span<const int> joint_rows);

}  // namespace talus
