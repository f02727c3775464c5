// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/projection_impact.hpp"

#include <vector>

#include "solvers/impact/struck_motion.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

constexpr double rank_threshold = 1e-11;

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A) {
  return LeastSquares(A, rank_threshold).solve(Eigen::MatrixXd::Identity(A.rows(), A.rows()));
}

}  // namespace

ObliqueProjection::ObliqueProjection(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A) {
  const Eigen::Index n = M.rows();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  A_pinv = pseudo_inverse(A);
  P = I - A_pinv * A;
  P = (0.5 * (P + P.transpose())).eval();
  M_o_pinv = DenseLu(constraint_inertia(M, P)).solve(P);
  S = I - M_o_pinv * M;
  R = I - 2 * S;
}

Eigen::VectorXd projected_velocity(const ObliqueProjection& projection, const Eigen::MatrixXd& A,
                                   const Eigen::MatrixXd& E, const Eigen::VectorXd& v) {
  return projected_velocity(projection, A, Eigen::VectorXd::Zero(A.rows()), E, v);
}

Eigen::VectorXd projected_velocity(const ObliqueProjection& projection, const Eigen::MatrixXd& A,
                                   const Eigen::VectorXd& c, const Eigen::MatrixXd& E,
                                   const Eigen::VectorXd& v) {
  return v - projection.S * (projection.A_pinv * (E * (A * v + c) + c) + v);
}

Eigen::MatrixXd loss_metric(const ObliqueProjection& projection, const Eigen::MatrixXd& M) {
  const Eigen::MatrixXd G = projection.S * projection.A_pinv;
  return G.transpose() * M * G;
}

template <int D>
ImpactAnswer<D> projection_impact(const ImpactProblem<D>& impact, const ProjectionLaw&) {
  constexpr int dof = D + spin_dim<D>;
  // Freedoms of the bodies that move.
  std::vector<Eigen::Index> first(impact.bodies.size(), -1);
  Eigen::Index n = 0;
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    if (impact.bodies[i].inverse_mass == 0) continue;
    first[i] = n;
    n += impact.bodies[i].inverse_inertia.isZero(0) ? D : dof;
  }
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd v(n);
  const auto turns = [&](std::size_t i) { return !impact.bodies[i].inverse_inertia.isZero(0); };
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    if (first[i] < 0) continue;
    M.diagonal().segment<D>(first[i]).setConstant(1 / impact.bodies[i].inverse_mass);
    v.segment<D>(first[i]) = impact.v_minus[i].v;
    if (!turns(i)) continue;
    M.template block<spin_dim<D>, spin_dim<D>>(first[i] + D, first[i] + D) =
        impact.bodies[i].inverse_inertia.inverse();
    v.segment<spin_dim<D>>(first[i] + D) = impact.v_minus[i].omega;
  }

  const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
  const double rest = 1e-12 * closing_speed<D>(u);
  std::vector<std::size_t> constraints;
  for (std::size_t i = 0; i < impact.size(); ++i)
    if (u[i][0] <= rest) constraints.push_back(i);
  const auto m = static_cast<Eigen::Index>(constraints.size());
  const auto joints = static_cast<Eigen::Index>(impact.joints.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m + joints, n);
  Eigen::VectorXd e(m + joints), c(m + joints);  // c: of walls that move
  const auto add = [&](Eigen::Index k, int body, double sign, const Vec<D>& direction,
                       const Spin<D>& turn) {
    const Eigen::Index at_body = first[at(body)];
    if (at_body < 0) return;
    A.template block<1, D>(k, at_body) += sign * direction.transpose();
    if (turns(at(body)))
      A.template block<1, spin_dim<D>>(k, at_body + D) += sign * turn.transpose();
  };
  const auto add_row = [&](Eigen::Index k, const LinearRow<D>& row, double restitution) {
    e[k] = restitution;
    add(k, row.a, -1, row.direction, row.moment_a);
    add(k, row.b, 1, row.direction, row.moment_b);
    const Twist<D>&a = impact.v_minus[at(row.a)], &b = impact.v_minus[at(row.b)];
    c[k] = first[at(row.a)] < 0 || first[at(row.b)] < 0
               ? relative_velocity<D>(row, first[at(row.a)] < 0 ? a : Twist<D>{},
                                      first[at(row.b)] < 0 ? b : Twist<D>{})
               : 0;
  };
  for (Eigen::Index k = 0; k < m; ++k) {
    const std::size_t i = constraints[static_cast<std::size_t>(k)];
    add_row(k, normal_row<D>(impact, i), impact.coefficients[i].restitution);
  }
  for (Eigen::Index k = m; k < m + joints; ++k)  // φ̇⁺ = −E φ̇⁻: keeps its velocity
    add_row(k, impact.joints[static_cast<std::size_t>(k - m)], -1);

  const ObliqueProjection projection(M, A);
  const Eigen::VectorXd after = projected_velocity(projection, A, c, e.asDiagonal(), v);
  // i_f = M (q̇⁺ − q̇⁻) = Aᵀ i_λ, i_λ = A⁺ᵀ i_f [A05, (30)]
  const Eigen::VectorXd percussions = projection.A_pinv.transpose() * (M * (after - v));
  ImpactAnswer<D> answer{std::vector<Vec<D>>(impact.size(), Vec<D>::Zero()), true};
  for (Eigen::Index k = 0; k < m; ++k)
    answer.percussions[constraints[static_cast<std::size_t>(k)]][0] = percussions[k];
  return answer;
}

template ImpactAnswer<2> projection_impact<2>(const ImpactProblem<2>&, const ProjectionLaw&);
template ImpactAnswer<3> projection_impact<3>(const ImpactProblem<3>&, const ProjectionLaw&);

}  // namespace talus
