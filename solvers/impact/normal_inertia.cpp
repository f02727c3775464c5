// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/normal_inertia.hpp"

#include "solvers/problem/bilateral.hpp"
#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

template <int D>
std::vector<double> normal_inertias(const ImpactProblem<D>& impact) {
  std::vector<double> W_NN;
  BilateralSystem<D> joints;
  if (!impact.joints.empty()) joints.factorise(impact.joints, impact.bodies);
  std::vector<Twist<D>> jump(impact.bodies.size());
  for (std::size_t i = 0; i < impact.size(); ++i) {
    const LinearRow<D> row = normal_row<D>(impact, i);
    W_NN.push_back(diagonal_block<D>(row, impact.bodies));
    if (impact.joints.empty()) continue;
    apply_percussion<D>(row, 1, impact.bodies, jump);
    Eigen::VectorXd c(static_cast<Eigen::Index>(impact.joints.size()));
    for (std::size_t k = 0; k < impact.joints.size(); ++k) {
      const LinearRow<D>& joint = impact.joints[k];
      c[static_cast<Eigen::Index>(k)] =
          relative_velocity<D>(joint, jump[at(joint.a)], jump[at(joint.b)]);
    }
    jump[at(row.a)] = jump[at(row.b)] = {};
    if (!c.isZero(0)) W_NN.back() -= c.dot(joints.solve(c));
  }
  return W_NN;
}

template std::vector<double> normal_inertias<2>(const ImpactProblem<2>&);
template std::vector<double> normal_inertias<3>(const ImpactProblem<3>&);

}  // namespace talus
