// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/impact_modes.hpp"

namespace talus {

template <int D>
ContactSystem impact_system(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  constexpr int tangents = D - 1;
  std::vector<LinearRow<D>> rows = impact.joints;
  for (std::size_t i = 0; i < impact.size(); ++i) rows.push_back(normal_row<D>(impact, i));
  for (std::size_t i = 0; i < impact.size(); ++i) {
    for (int k = 1; k < D; ++k) {
      const bool has_tangent = i < impact.contacts.size();
      rows.push_back(has_tangent ? component_row<D>(impact.contacts[i], k)
                                 : normal_row<D>(impact, i));
      if (has_tangent) continue;
      rows.back().direction.setZero();
      rows.back().moment_a.setZero();
      rows.back().moment_b.setZero();
    }
  }
  const SparseRows gradients = kinetic_gradients<D>(rows, impact.bodies).rows;
  const auto joints = static_cast<Eigen::Index>(impact.joints.size());
  const auto m = static_cast<Eigen::Index>(impact.size());
  ContactSystem system;
  system.tangents = tangents;
  system.bilateral = empty_constraints(joints, tangents, gradients.cols());
  system.bilateral.normal = gradients.topRows(joints);
  system.unilateral = empty_constraints(m, tangents, gradients.cols());
  system.unilateral.normal = gradients.middleRows(joints, m);
  system.unilateral.tangent = gradients.bottomRows(m * tangents);
  const std::vector<Vec<D>> b = restituted_velocities<D>(impact, law);
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    system.unilateral.friction[i] = impact.coefficients[k].friction;
    system.unilateral.w_normal[i] = b[k][0];
    system.unilateral.w_tangent.template segment<tangents>(i * tangents) =
        b[k].template tail<tangents>();
  }
  return system;
}

template <int D>
std::vector<Vec<D>> mode_percussions(const ModeSolution& mode) {
  std::vector<Vec<D>> percussions;
  for (Eigen::Index i = 0; i < mode.normal_u.size(); ++i) {
    Vec<D>& P = percussions.emplace_back();
    P[0] = mode.normal_u[i];
    P.template tail<D - 1>() = mode.tangent_u.template segment<D - 1>(i * (D - 1));
  }
  return percussions;
}

#define TALUS_INSTANTIATE(D)                                                          \
  template ContactSystem impact_system<D>(const ImpactProblem<D>&, const MatrixLaw&); \
  template std::vector<Vec<D>> mode_percussions<D>(const ModeSolution&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
