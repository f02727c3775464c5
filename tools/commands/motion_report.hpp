// SPDX-License-Identifier: Apache-2.0
// The motions of `talus analyze`: forces of all constraints and accelerations of all bodies.
#pragma once

#include <cstdio>
#include <string>

#include "engine/outlook/active_constraints.hpp"
#include "solvers/analysis/contact_modes.hpp"

namespace talus {

// One motion: the modes and forces of its constraints, then the accelerations of its bodies.
template <int D>
void print_motion(std::FILE* out, const Scene<D>& scene, const ActiveConstraints<D>& active,
                  const ModeSolution& motion);

template <int D>
std::string motion_json(const Scene<D>& scene, const ActiveConstraints<D>& active,
                        const ModeSolution& motion);

// Normal forces, adhesion included.
template <int D>
Eigen::VectorXd with_adhesion(const std::vector<ActiveConstraint<D>>& constraints,
                              Eigen::VectorXd normal);

// Tangential forces along unit tangents, where those of elliptic friction are stretched.
template <int D>
Eigen::VectorXd unstretched(const std::vector<ActiveConstraint<D>>& constraints,
                            Eigen::VectorXd tangent);

std::string numbers_json(const Eigen::VectorXd& x);
std::string modes_json(const std::vector<ContactMode>& modes);

}  // namespace talus
