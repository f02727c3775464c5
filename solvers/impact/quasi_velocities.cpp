// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/quasi_velocities.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "solvers/math/dense.hpp"
#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

QuasiState quasi_state(const QuasiVelocities& quasi) {
  QuasiState state{quasi.normal(), quasi.tangential()};
  const LeastSquares G(quasi.G(), 1e-11);
  state.normal_energy = 0.5 * state.normal.dot(Eigen::VectorXd(G.solve(state.normal)));
  state.tangential_energy = 0.5 * state.tangential.squaredNorm();
  return state;
}

template <int D>
QuasiVelocities quasi_velocities(const ImpactProblem<D>& impact) {
  std::vector<LinearRow<D>> rows;
  for (std::size_t i = 0; i < impact.size(); ++i) rows.push_back(normal_row<D>(impact, i));
  for (const ContactRow<D>& contact : impact.contacts)
    for (int k = 1; k < D; ++k) rows.push_back(component_row<D>(contact, k));
  for (LinearRow<D> row : impact.stops) {  // have no tangents
    row.direction.setZero();
    row.moment_a.setZero();
    row.moment_b.setZero();
    rows.insert(rows.end(), D - 1, row);
  }
  rows.insert(rows.end(), impact.joints.begin(), impact.joints.end());
  const KineticGradients<D> gradients = kinetic_gradients<D>(rows, impact.bodies);
  Eigen::MatrixXd weighted = gradients.rows.transpose();
  const auto p = static_cast<Eigen::Index>(impact.size());
  const Eigen::Index n = weighted.rows();

  // Gram and Schmidt, twice over for orthogonality to rounding. What joints forbid comes first and
  // is taken out of everything else.
  std::vector<Eigen::VectorXd> basis;
  const auto take_out = [&](auto&& x) {
    for (int pass = 0; pass < 2; ++pass)
      for (const Eigen::VectorXd& b : basis) x -= b.dot(x) * b;
  };
  const auto add = [&](Eigen::VectorXd x) {
    const double length = x.norm();
    take_out(x);
    if (x.norm() > 1e-9 * length) basis.push_back(x.normalized());
  };
  const auto joints = static_cast<Eigen::Index>(impact.joints.size());
  for (Eigen::Index j = weighted.cols() - joints; j < weighted.cols(); ++j) add(weighted.col(j));
  const Eigen::Index contact_rows = weighted.cols() - joints;
  for (Eigen::Index j = 0; j < contact_rows; ++j) take_out(weighted.col(j));

  QuasiVelocities quasi;
  quasi.H_N = weighted.leftCols(p);
  quasi.H_T = weighted.middleCols(p, contact_rows - p);
  quasi.norms = quasi.H_N.colwise().norm();
  quasi.N = quasi.norms.cwiseInverse().asDiagonal() * quasi.H_N.transpose();

  // w per body: √m v, and L⁻¹ω with L Lᵀ = I⁻¹ as the gradients are weighted.
  quasi.w = Eigen::VectorXd::Zero(n);
  std::vector<bool> moves(static_cast<std::size_t>(n), false);
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    const int first = gradients.dof_of_body[i];
    const MassBlock<D>& body = impact.bodies[i];
    if (first < 0) continue;
    quasi.w.template segment<D>(first) = impact.v_minus[i].v / std::sqrt(body.inverse_mass);
    for (int k = 0; k < D; ++k) moves[at(first + k)] = true;
    if (body.inverse_inertia.isZero(0)) continue;
    const Spin<D> turning =
        inertia_root<D>(body.inverse_inertia).inverse() * impact.v_minus[i].omega;
    quasi.w.template segment<spin_dim<D>>(first + D) = turning;
    for (int k = 0; k < spin_dim<D>; ++k) moves[at(first + D + k)] = true;
  }

  take_out(quasi.w);
  for (Eigen::Index i = 0; i < p; ++i) add(quasi.N.row(i).transpose());
  const std::size_t normals = basis.size();
  for (Eigen::Index k = 0; k < n; ++k)
    if (moves[static_cast<std::size_t>(k)]) add(Eigen::VectorXd::Unit(n, k));
  quasi.T.resize(static_cast<Eigen::Index>(basis.size() - normals), n);
  for (Eigen::Index k = 0; k < quasi.T.rows(); ++k)
    quasi.T.row(k) = basis[normals + static_cast<std::size_t>(k)].transpose();
  return quasi;
}

template QuasiVelocities quasi_velocities<2>(const ImpactProblem<2>&);
template QuasiVelocities quasi_velocities<3>(const ImpactProblem<3>&);

}  // namespace talus
