// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_conditions.hpp"

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
  conditions.symmetric = (G_inverse * E_nn - E_nn.transpose() * G_inverse).norm() <= rounding;
  conditions.spectral_radius = E_nn.eigenvalues().cwiseAbs().maxCoeff();
  const Definiteness of_G = definiteness(G);
  conditions.sigma = sigma_max(E_nn);
  conditions.sigma_bound = std::sqrt(of_G.smallest / of_G.largest);
  conditions.norm = E_nn.norm();
  conditions.norm_bound = condition_bound(G, G_inverse);
  return conditions;
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
  const Eigen::MatrixXd M = E - impact.G * impact.n_H * mu * E;

  SlidingConditions conditions;
  const double coupling = impact.n_H.norm() * impact.mu_bar.norm();
  conditions.lemma_1 = inverse(impact.G).norm() * coupling < 1 &&
                       coupled.norm() * E.norm() * impact.G.norm() * coupling < 1;
  const Eigen::MatrixXd M_bar = (I - impact.E_nn).transpose() * M * (I + impact.E_nn);
  const Eigen::MatrixXd slides = impact.t_H * mu * E * (I + impact.E_nn);
  conditions.smallest_M = definiteness(M_bar).smallest;
  conditions.largest_K = definiteness(slides.transpose() * impact.D_t * slides).largest;
  conditions.coupling_small =
      conditions.smallest_M > 0 && conditions.smallest_M > conditions.largest_K;
  conditions.normal_ratio = conditions.coupling_small
                                ? 2 * (impact.D_t * impact.t_H).norm() * impact.mu_bar.norm() *
                                      E.norm() * (I + impact.E_nn).norm() /
                                      (conditions.smallest_M - conditions.largest_K)
                                : std::numeric_limits<double>::infinity();
  return conditions;
}

double projection_gain(const Eigen::MatrixXd& Q, const Eigen::MatrixXd& E) {
  return definiteness(E * Q * E - Q).largest;
}

}  // namespace talus
