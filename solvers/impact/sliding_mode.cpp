// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/sliding_mode.hpp"

#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

SlidingMode sliding_mode(const ImpactProblem<2>& impact, const MatrixLaw& law,
                         std::span<const double> xi) {
  using Eigen::MatrixXd, Eigen::VectorXd;
  const QuasiVelocities quasi = quasi_velocities<2>(impact);
  const MatrixXd G = quasi.G(), n_H = quasi.N * quasi.H_T, t_H = quasi.T * quasi.H_T;
  const Eigen::Index p = G.rows();
  const MatrixXd I = MatrixXd::Identity(p, p), E_nn = normal_restitution<2>(impact, law);
  VectorXd mu_bar(p), e_t(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    const auto k = static_cast<std::size_t>(i);
    mu_bar[i] = xi[k] * impact.coefficients[k].friction / quasi.norms[i];
    e_t[i] = impact.coefficients[k].tangential_restitution;
  }
  const MatrixXd coupled = G - n_H * mu_bar.asDiagonal();
  const LeastSquares inverse(coupled, 1e-11);
  const VectorXd q = quasi.normal(), jump = -(q + E_nn * q);
  SlidingMode mode;
  mode.regular = inverse.rank() == p;
  mode.E = inverse.solve(I);
  mode.non_negative = (mode.E.array() >= -1e-12 * mode.E.norm()).all();
  mode.p_bar = mode.E * jump;
  const double largest = mode.p_bar.cwiseAbs().maxCoeff();
  mode.pushes = (coupled * mode.p_bar - jump).norm() <= 1e-9 * jump.norm() &&
                mode.p_bar.minCoeff() >= -1e-12 * largest;
  // (68) (b), and v_t = H_TᵀM^(−1/2) w with w = Nᵀ G⁻¹ q̇_norm + Tᵀ q̇_tan.
  const VectorXd tangential = quasi.tangential();
  const VectorXd after = tangential - t_H * mu_bar.cwiseProduct(mode.p_bar);
  const LeastSquares G_inverse(G, 1e-11);
  const auto slip_of = [&](const VectorXd& norm, const VectorXd& tan) -> VectorXd {
    return n_H.transpose() * VectorXd(G_inverse.solve(norm)) + t_H.transpose() * tan;
  };
  mode.slip = slip_of(-(E_nn * q), after) + e_t.cwiseProduct(slip_of(q, tangential));
  mode.exists = mode.pushes;
  for (Eigen::Index i = 0; i < p; ++i)
    if (mu_bar[i] != 0)
      mode.exists = mode.exists && xi[static_cast<std::size_t>(i)] * mode.slip[i] > 0;
  return mode;
}

}  // namespace talus
