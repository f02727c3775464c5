// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_system.hpp"

#include <cmath>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd product(const SparseRows& a, const SparseRows& b) {
  return MatrixXd(SparseRows(a * SparseRows(b.transpose())));
}

}  // namespace

bool joints_determine_massless(const ContactSystem& system) {
  if (system.massless == 0) return true;
  if (system.bilateral.size() == 0) return false;
  const MatrixXd held = MatrixXd(system.bilateral.normal).rightCols(system.massless);
  return LeastSquares(held, 1e-11).rank() == system.massless;
}

std::optional<ContactSystem> reduced_by_joints(const ContactSystem& system) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  if (b.size() > 0 && b.friction.maxCoeff() > 0) return std::nullopt;
  if (!system.rough_joints.empty()) return std::nullopt;
  const Index n = u.normal.cols(), massive = n - system.massless;
  VectorXd a = VectorXd::Zero(n);  // of the joints alone
  MatrixXd Z = MatrixXd::Identity(n, n);
  if (b.size() > 0) {
    const LeastSquares joints(MatrixXd(b.normal), 1e-11);
    a = joints.solve(-b.w_normal);
    Z = joints.null_space();
  }
  // Gauss's principle in a + Z s: the mass matrix is Zᵀdiag(I, 0)Z, the load on the massless.
  const MatrixXd M = Z.topRows(massive).transpose() * Z.topRows(massive);
  const Index free = M.rows();
  const DenseLu inverse(M);
  if (free > 0 && !(inverse.pivot_ratio() > 1e-12)) return std::nullopt;
  MatrixXd L = MatrixXd::Zero(free, free);
  for (Index j = 0; j < free; ++j) {
    L(j, j) = std::sqrt(M(j, j) - L.row(j).head(j).squaredNorm());
    for (Index i = j + 1; i < free; ++i)
      L(i, j) = (M(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  if (free > 0) {
    VectorXd force = -Z.topRows(massive).transpose() * a.head(massive);
    if (system.massless > 0) force += Z.bottomRows(system.massless).transpose() * system.load;
    a += Z * VectorXd(inverse.solve(force));
  }
  const MatrixXd basis =
      free > 0 ? MatrixXd(Z * DenseLu(L.transpose()).solve(MatrixXd::Identity(free, free)))
               : MatrixXd(n, 0);
  ContactSystem reduced;
  reduced.tangents = system.tangents;
  reduced.bilateral = empty_constraints(0, system.tangents, free);
  reduced.unilateral = u;
  reduced.unilateral.normal = MatrixXd(MatrixXd(u.normal) * basis).sparseView(1, 0);
  reduced.unilateral.tangent = MatrixXd(MatrixXd(u.tangent) * basis).sparseView(1, 0);
  reduced.unilateral.w_normal += u.normal * a;
  reduced.unilateral.w_tangent += u.tangent * a;
  return reduced;
}

ConstraintSet empty_constraints(Index m, int tangents, Index dof) {
  ConstraintSet set;
  set.normal.resize(m, dof);
  set.tangent.resize(m * tangents, dof);
  set.friction = VectorXd::Zero(m);
  set.slip = MatrixXd::Zero(tangents, m);
  set.w_normal = VectorXd::Zero(m);
  set.w_tangent = VectorXd::Zero(m * tangents);
  return set;
}

SparseRows slip_rows(const ConstraintSet& set, int tangents) {
  SparseRows combine(set.size(), set.size() * tangents);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < set.size(); ++i) {
    for (int k = 0; k < tangents; ++k) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(i) * tangents + k, set.slip(k, i));
    }
  }
  combine.setFromTriplets(entries.begin(), entries.end());
  return combine * set.tangent;
}

SlidingMatrices sliding_matrices(const ContactSystem& system) {
  const SparseRows& N_b = system.bilateral.normal;
  const SparseRows& N_u = system.unilateral.normal;
  const SparseRows T_b = slip_rows(system.bilateral, system.tangents);
  const SparseRows T_u = slip_rows(system.unilateral, system.tangents);
  return {product(N_b, N_b), product(N_b, T_b),         product(N_u, N_u),
          product(N_u, T_u), product(N_b, N_u),         product(N_b, T_u),
          product(N_u, T_b), system.bilateral.friction, system.unilateral.friction};
}

MatrixXd distorted_delassus(const SlidingMatrices& A) {
  if (A.A_nb.rows() == 0) return A.A_nu;
  const LeastSquares inverse(A.A_nb, 1e-11);
  return A.A_nu - A.A_nbnu.transpose() * inverse.solve(A.A_nbnu);
}

MatrixXd unilateral_matrix(const SlidingMatrices& A) {
  return A.A_nu - A.A_tu * A.mu_u.asDiagonal();
}

// With λ_b = λ⁺ − λ⁻ and |λ_b| = λ⁺ + λ⁻, λ⁺ eliminated. The sign of C̄ λ⁻ in the second line of
// (57) and the factor 2 of C K_μ in (62) are those of the derivation, not of the print.
MatrixXd mixed_matrix(const SlidingMatrices& s) {
  const Index m_b = s.A_nb.rows(), m_u = s.A_nu.rows();
  const auto mu_b = s.mu_b.asDiagonal();
  const auto mu_u = s.mu_u.asDiagonal();
  const MatrixXd A = s.A_nb - s.A_tb * mu_b, A_bar = s.A_nb + s.A_tb * mu_b;
  const MatrixXd B = s.A_nbnu - s.A_nbtu * mu_u;
  const MatrixXd C = s.A_nbnu.transpose() - s.A_nutb * mu_b;
  const MatrixXd C_bar = s.A_nbnu.transpose() + s.A_nutb * mu_b;
  const MatrixXd D = s.A_nu - s.A_tu * mu_u;
  MatrixXd M(m_b + m_u, m_b + m_u);
  if (m_b == 0) return D;
  const DenseLu inverse(A);
  M.topLeftCorner(m_b, m_b) = inverse.solve(A_bar);
  M.topRightCorner(m_b, m_u) = -inverse.solve(B);
  M.bottomLeftCorner(m_u, m_b) = C * inverse.solve(A_bar) - C_bar;
  M.bottomRightCorner(m_u, m_u) = D - C * inverse.solve(B);
  return M;
}

MatrixXd mixed_matrix(const SlidingMatrices& A, double mu) {
  SlidingMatrices same = A;
  same.mu_b.setConstant(mu);
  same.mu_u.setConstant(mu);
  return mixed_matrix(same);
}

}  // namespace talus
