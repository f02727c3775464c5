// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_conditions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  return DenseLu(A).solve(Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}

// 1/√(‖A⁻¹‖₂ ‖A‖₂)
double condition_bound(const Eigen::MatrixXd& A, const Eigen::MatrixXd& A_inverse) {
  return 1 / std::sqrt(A_inverse.norm() * A.norm());
}

// λ_min of M̄ = (I − E_nn)ᵀG⁻¹(I + E_nn).
double smallest_M(const SlidingImpact& impact, const Eigen::MatrixXd& G_inverse) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(impact.G.rows(), impact.G.cols());
  return definiteness((I - impact.E_nn).transpose() * G_inverse * (I + impact.E_nn)).smallest;
}

// (82), with the numerator of (ii).
void compare(double numerator, SlidingConditions& conditions) {
  const double room = conditions.smallest_M - conditions.largest_K;
  conditions.coupling_small = conditions.smallest_M > 0 && room > 0;
  conditions.normal_ratio =
      conditions.coupling_small ? numerator / room : std::numeric_limits<double>::infinity();
}

}  // namespace

RestitutionConditions restitution_conditions(const Eigen::MatrixXd& G,
                                             const Eigen::MatrixXd& E_nn) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(G.rows(), G.cols());
  const Eigen::MatrixXd G_inverse = inverse(G);
  const double rounding = 1e-12 * (1 + E_nn.norm()) * G_inverse.norm();
  const Eigen::MatrixXd loss = G_inverse - E_nn.transpose() * G_inverse * E_nn;
  const Eigen::MatrixXd pushes = G_inverse * (I + E_nn);

  RestitutionConditions conditions;
  conditions.kinematic = (E_nn.array() >= 0).all();
  conditions.kinetic = (pushes.array() >= -rounding).all();
  conditions.energetic = copositivity(0.5 * (loss + loss.transpose()));
  conditions.smallest_loss = definiteness(loss).smallest;
  // λ_max(EᵀG⁻¹E, G⁻¹) = σ_max(L⁻¹E L)² with G = L Lᵀ.
  const Eigen::MatrixXd L = G.llt().matrixL();
  const double largest = sigma_max(DenseLu(L).solve(E_nn * L));
  conditions.epsilon_star = 1 / (largest * largest);
  conditions.conservative = conditions.kinematic && conditions.kinetic && loss.norm() <= rounding;
  conditions.symmetric = (G_inverse * E_nn - E_nn.transpose() * G_inverse).norm() <= rounding;
  conditions.spectral_radius = E_nn.eigenvalues().cwiseAbs().maxCoeff();
  const Definiteness of_G = definiteness(G);
  conditions.sigma = sigma_max(E_nn);
  conditions.sigma_bound = std::sqrt(of_G.smallest / of_G.largest);
  conditions.norm = E_nn.norm();
  conditions.norm_bound = condition_bound(G, G_inverse);
  return conditions;
}

Verdict has_U_property(const Eigen::MatrixXd& G) {
  if (G.rows() == 1) return Verdict::yes;
  if (G.rows() > 2) return Verdict::unknown;
  return G(0, 1) > 1e-12 ? Verdict::yes : Verdict::no;
}

FullRestitutionConditions full_restitution_conditions(const Eigen::MatrixXd& D,
                                                      const Eigen::MatrixXd& E) {
  FullRestitutionConditions conditions;
  conditions.smallest_loss = definiteness(D - E.transpose() * D * E).smallest;
  conditions.norm = E.norm();
  conditions.norm_bound = condition_bound(D, inverse(D));
  return conditions;
}

SlidingConditions sliding_conditions(const SlidingImpact& impact) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(impact.G.rows(), impact.G.cols());
  const Eigen::MatrixXd mu = impact.mu_bar.asDiagonal();
  const Eigen::MatrixXd coupled = impact.G - impact.n_H * mu;
  const Eigen::MatrixXd E = LeastSquares(coupled, 1e-12).solve(I);  // (G − n_qᵀH_T[μ̄])†
  const Eigen::MatrixXd G_inverse = inverse(impact.G), leaves = I + impact.E_nn;

  SlidingConditions conditions;
  conditions.lemma_1 = G_inverse.norm() * impact.n_H.norm() * impact.mu_bar.norm() < 1;
  const Eigen::VectorXd p = -(E * (leaves * impact.q_norm));
  conditions.pushes = p.minCoeff() >= -1e-12 * p.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd slides = impact.t_H * mu * E * leaves;
  const double t_D = (impact.D_t * impact.t_H).norm();
  conditions.smallest_M = smallest_M(impact, G_inverse);
  conditions.largest_K = definiteness(slides.transpose() * impact.D_t * slides).largest;
  compare(2 * t_D * impact.mu_bar.norm() * E.norm() * leaves.norm(), conditions);
  return conditions;
}

SlidingConditions sliding_bounds(const SlidingImpact& impact) {
  const Eigen::Index n = impact.G.rows();
  const Eigen::MatrixXd mu = impact.mu_bar.asDiagonal();
  const Eigen::MatrixXd G_inverse = inverse(impact.G);
  const Eigen::MatrixXd leaves = Eigen::MatrixXd::Identity(n, n) + impact.E_nn;
  const double room = definiteness(impact.G).smallest - sigma_max(impact.n_H * mu);
  SlidingConditions conditions;
  conditions.smallest_M = smallest_M(impact, G_inverse);
  conditions.largest_K = conditions.normal_ratio = std::numeric_limits<double>::infinity();
  if (!(room > 0)) return conditions;
  conditions.lemma_1 = true;
  // ‖E(q)‖ ≤ 1/room, and E(q) − G⁻¹ = E(q) n_qᵀH_T[μ̄]ξ G⁻¹.
  const Eigen::VectorXd p = -(G_inverse * (leaves * impact.q_norm));
  conditions.pushes = p.minCoeff() >= sigma_max(impact.n_H * mu) / room * p.norm();
  const double leaving = sigma_max(leaves) / room;
  conditions.largest_K =
      std::pow(leaving * sigma_max(impact.t_H * mu), 2) * definiteness(impact.D_t).largest;
  compare(2 * sigma_max(impact.D_t * impact.t_H * mu) * leaving, conditions);
  return conditions;
}

double projection_gain(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& E) {
  return definiteness(E * Q * E - Q).largest;
}

double largest_scale(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& E) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_Q(0.5 * (Q + Q.transpose()));
  const double rounding = 1e-11 * of_Q.eigenvalues().maxCoeff();
  const Eigen::MatrixXd& V = of_Q.eigenvectors();
  Eigen::MatrixXd gain = V.transpose() * (E * Q * E) * V;
  for (Eigen::Index i = 0; i < gain.rows(); ++i) {
    const double q = of_Q.eigenvalues()[i];
    // Where Q vanishes, so must E Q E.
    if (!(q > rounding) && gain(i, i) > rounding) return 0;
    const double weight = q > rounding ? 1 / std::sqrt(q) : 0;
    gain.row(i) *= weight;
    gain.col(i) *= weight;
  }
  const double largest = definiteness(gain).largest;
  return largest > 0 ? 1 / std::sqrt(largest) : std::numeric_limits<double>::infinity();
}

}  // namespace talus
