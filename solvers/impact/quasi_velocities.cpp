// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/quasi_velocities.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

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

namespace {

template <int D>
bool is_wall(const ImpactProblem<D>& impact, int body) {
  return !(impact.bodies[at(body)].inverse_mass > 0);
}

template <int D>
bool rests(const Twist<D>& twist) {
  return twist.v.isZero(0) && twist.omega.isZero(0);
}

// How the walls of these rows move: not at all, all along by one velocity, or otherwise.
template <int D>
struct WallMotion {
  bool moves = false, alike = true;
  Vec<D> velocity = Vec<D>::Zero();

  WallMotion(const ImpactProblem<D>& impact, std::span<const LinearRow<D>> rows,
             std::span<const Twist<D>> v) {
    bool first = true;
    for (const LinearRow<D>& row : rows) {
      for (const int body : {row.a, row.b}) {
        if (!is_wall<D>(impact, body)) continue;
        const Twist<D>& wall = v[at(body)];
        if (first) velocity = wall.v;
        first = false;
        moves = moves || !rests<D>(wall);
        alike = alike && wall.omega.isZero(0) && wall.v == velocity;
      }
    }
    if (!alike) velocity.setZero();
  }
};

template <int D>
std::vector<LinearRow<D>> normals_and_joints(const ImpactProblem<D>& impact) {
  std::vector<LinearRow<D>> rows = impact.joints;
  for (std::size_t i = 0; i < impact.size(); ++i) rows.push_back(normal_row<D>(impact, i));
  return rows;
}

// Where walls do not move alike. H_T has D − 1 columns a contact.
template <int D>
void follow_walls(const ImpactProblem<D>& impact, QuasiVelocities& quasi) {
  const auto p = static_cast<Eigen::Index>(impact.size());
  const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
  Eigen::VectorXd u_N(p);
  std::vector<Eigen::Index> rough;
  for (Eigen::Index i = 0; i < p; ++i) {
    u_N[i] = u[static_cast<std::size_t>(i)][0];
    if (impact.coefficients[static_cast<std::size_t>(i)].friction > 0)
      for (int k = 0; k < D - 1; ++k) rough.push_back(i * (D - 1) + k);
  }
  const Eigen::MatrixXd H_N = quasi.H_N.transpose();
  quasi.w += LeastSquares(H_N, 1e-11).solve(u_N - H_N * quasi.w);
  const Eigen::MatrixXd H_T = quasi.H_T(Eigen::all, rough).transpose();
  Eigen::VectorXd u_T(H_T.rows());
  for (Eigen::Index k = 0; k < u_T.size(); ++k) {
    const Eigen::Index column = rough[static_cast<std::size_t>(k)];
    u_T[k] = u[static_cast<std::size_t>(column / (D - 1))][1 + column % (D - 1)];
  }
  if (u_T.size() > 0 && quasi.T.rows() > 0) {
    const Eigen::MatrixXd slips = H_T * quasi.T.transpose();
    quasi.w += quasi.T.transpose() * LeastSquares(slips, 1e-11).solve(u_T - H_T * quasi.w);
  }
  const double apart = (H_N * quasi.w - u_N).norm() + (H_T * quasi.w - u_T).norm();
  quasi.goes_with_walls = apart <= 1e-9 * (u_N.norm() + u_T.norm());
}

}  // namespace

template <int D>
QuasiEnergies quasi_energies(const ImpactProblem<D>& impact, const DelassusOperator<D>& W,
                             std::span<const Twist<D>> v) {
  if (WallMotion<D>(impact, normals_and_joints<D>(impact), v).moves) {
    ImpactProblem<D> moving = impact;
    moving.v_minus.assign(v.begin(), v.end());
    const QuasiState state = quasi_state(quasi_velocities<D>(moving));
    return {state.normal_energy, state.tangential_energy};
  }
  const int n = static_cast<int>(impact.size());
  Eigen::MatrixXd W_NN = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (std::size_t k = W.row_start[at(i)]; k < W.row_start[at(i) + 1]; ++k)
      W_NN(i, W.column[k]) = W.block[k](0, 0);
  double all = 0;
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    const MassBlock<D>& body = impact.bodies[i];
    if (!(body.inverse_mass > 0)) continue;
    all += 0.5 * v[i].v.squaredNorm() / body.inverse_mass;
    if (!body.inverse_inertia.isZero(0))
      all += 0.5 * v[i].omega.dot(body.inverse_inertia.inverse() * v[i].omega);
  }
  const Eigen::VectorXd norms = W_NN.diagonal().cwiseSqrt(), inverse = norms.cwiseInverse();
  Eigen::VectorXd q(n);
  for (int i = 0; i < n; ++i) {
    const LinearRow<D> row = normal_row<D>(impact, at(i));
    q[i] = relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]) * inverse[i];
  }
  QuasiEnergies energies;
  if (n == 1) {
    energies.normal = 0.5 * q[0] * q[0];
  } else {
    const LeastSquares G(inverse.asDiagonal() * W_NN * inverse.asDiagonal(), 1e-11);
    energies.normal = 0.5 * q.dot(Eigen::VectorXd(G.solve(q)));
  }
  energies.tangential = std::max(0.0, all - energies.normal);
  return energies;
}

namespace {

// All freedoms of the bodies that move are tried for T where none are given.
template <int D>
QuasiVelocities with_freedoms(const ImpactProblem<D>& impact,
                              const std::optional<std::span<const Eigen::Index>>& given) {
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
    const bool counts = x.norm() > 1e-9 * length;
    if (counts) basis.push_back(x.normalized());
    return counts;
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

  const WallMotion<D> walls(impact, normals_and_joints<D>(impact), impact.v_minus);
  // w per body: √m v, and L⁻¹ω with L Lᵀ = I⁻¹ as the gradients are weighted.
  quasi.w = Eigen::VectorXd::Zero(n);
  std::vector<bool> moves(static_cast<std::size_t>(n), false);
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    const int first = gradients.dof_of_body[i];
    const MassBlock<D>& body = impact.bodies[i];
    if (first < 0) continue;
    quasi.w.template segment<D>(first) =
        (impact.v_minus[i].v - walls.velocity) / std::sqrt(body.inverse_mass);
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
  std::vector<Eigen::Index> tried;
  if (given) {
    tried.assign(given->begin(), given->end());
  } else {
    for (Eigen::Index k = 0; k < n; ++k)
      if (moves[static_cast<std::size_t>(k)]) tried.push_back(k);
  }
  for (const Eigen::Index k : tried)
    if (add(Eigen::VectorXd::Unit(n, k))) quasi.freedoms.push_back(k);
  quasi.T.resize(static_cast<Eigen::Index>(basis.size() - normals), n);
  for (Eigen::Index k = 0; k < quasi.T.rows(); ++k)
    quasi.T.row(k) = basis[normals + static_cast<std::size_t>(k)].transpose();
  if (walls.moves && !walls.alike) follow_walls<D>(impact, quasi);
  return quasi;
}

}  // namespace

template <int D>
QuasiVelocities quasi_velocities(const ImpactProblem<D>& impact) {
  return with_freedoms<D>(impact, std::nullopt);
}

template <int D>
QuasiVelocities quasi_velocities(const ImpactProblem<D>& impact,
                                 std::span<const Eigen::Index> freedoms) {
  return with_freedoms<D>(impact, freedoms);
}

#define TALUS_INSTANTIATE(D)                                                                    \
  template QuasiVelocities quasi_velocities<D>(const ImpactProblem<D>&);                        \
  template QuasiEnergies quasi_energies<D>(const ImpactProblem<D>&, const DelassusOperator<D>&, \
                                           std::span<const Twist<D>>);                          \
  template QuasiVelocities quasi_velocities<D>(const ImpactProblem<D>&,                         \
                                               std::span<const Eigen::Index>);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
