// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/friction_bound.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

MatrixXd pseudo_solve(const MatrixXd& A, const MatrixXd& B) {
  return LeastSquares(A, 1e-11).solve(B);
}

// The least μ, the same everywhere, at which the norm of M_ub^μ − M_ub^0 is as large as allowed; no
// more than μ_max^b, up to which M_ub^μ exists.
template <typename Norm>
double least_friction(const SlidingMatrices& A, double allowed, const Norm& norm) {
  const double highest = std::min(bilateral_bound(A), 1e6);
  if (!(highest > 0 && allowed > 0)) return 0;
  const MatrixXd M_0 = mixed_matrix(A, 0);
  const auto perturbation = [&](double mu) { return norm(mixed_matrix(A, mu) - M_0); };
  // Not monotone in general: the least root is bracketed from 0 upwards by steps that grow, then
  // bisected.
  double low = 0, high = std::min(1e-3, 0.5 * highest);
  while (perturbation(high) < allowed) {
    low = high;
    if (high >= highest * (1 - 1e-9)) return highest;
    high = std::min(high * 1.1, highest * (1 - 1e-9));
  }
  for (int k = 0; k < 200 && high - low > 1e-15 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (perturbation(middle) < allowed ? low : high) = middle;
  }
  return low;
}

}  // namespace

double singular_ratio(const MatrixXd& A, const MatrixXd& B) {
  const double top = sigma_min(A), bottom = sigma_max(B);
  if (top <= 1e-12 * sigma_max(A)) return 0;
  return bottom > 1e-14 * top ? top / bottom : infinity;
}

double bilateral_bound(const SlidingMatrices& A) { return singular_ratio(A.A_nb, A.A_tb); }

double partly_frictionless_bound(const SlidingMatrices& A) {
  std::vector<Index> rough, smooth;
  for (Index i = 0; i < A.mu_b.size(); ++i) (A.mu_b[i] > 0 ? rough : smooth).push_back(i);
  if (rough.empty()) return infinity;
  if (smooth.empty()) return bilateral_bound(A);
  const MatrixXd A_00 = A.A_nb(smooth, smooth), A_0m = A.A_nb(smooth, rough);
  const MatrixXd T_0m = A.A_tb(smooth, rough);
  return singular_ratio(A.A_nb(rough, rough) - A_0m.transpose() * pseudo_solve(A_00, A_0m),
                        A.A_tb(rough, rough) - A_0m.transpose() * pseudo_solve(A_00, T_0m));
}

double unilateral_bound(const SlidingMatrices& A) { return singular_ratio(A.A_nu, A.A_tu); }

double mixed_bound(const SlidingMatrices& A) {
  if (!(bilateral_bound(A) > 0)) return 0;
  const MatrixXd M_0 = mixed_matrix(A, 0);
  if (is_P_matrix(M_0) == Verdict::no) return 0;
  return least_friction(A, 1 / beta_2(M_0), [](const MatrixXd& P) { return sigma_max(P); });
}

double printed_mixed_bound(const SlidingMatrices& A) {
  return least_friction(A, 1, [](const MatrixXd& P) { return P.norm(); });
}

double frictionless_bilateral_bound(const SlidingMatrices& A) {
  if (A.A_nb.rows() == 0) return unilateral_bound(A);
  return singular_ratio(distorted_delassus(A),
                        A.A_tu - A.A_nbnu.transpose() * pseudo_solve(A.A_nb, A.A_nbtu));
}

KineticBounds kinetic_bounds(const SlidingMatrices& A) {
  const VectorXd norms = A.A_nu.diagonal().cwiseSqrt();
  if (norms.size() == 0) return {infinity, infinity, infinity, infinity};
  if (!(norms.minCoeff() > 0)) return {};
  const VectorXd inverse = norms.cwiseInverse();
  const MatrixXd G = inverse.asDiagonal() * A.A_nu * inverse.asDiagonal();
  const MatrixXd coupling = inverse.asDiagonal() * A.A_tu;  // n_qᵀH_T
  const MatrixXd P = coupling * inverse.asDiagonal();       // of μ = 1
  KineticBounds bounds;
  bounds.spectral_statement = singular_ratio(G, coupling) / inverse.norm();
  bounds.spectral_proof = singular_ratio(G, P);
  if (!(bounds.spectral_proof > 0)) return bounds;  // G is singular
  const double G_inverse = DenseLu(G).solve(MatrixXd::Identity(G.rows(), G.cols())).norm();
  const auto bound = [&](double norm) { return norm > 0 ? 1 / (G_inverse * norm) : infinity; };
  bounds.statement = bound(coupling.norm() * inverse.norm());
  bounds.proof = bound(P.norm());
  return bounds;
}

std::optional<double> symmetric_bound(const SlidingMatrices& A) {
  const Index m = A.A_nu.rows();
  const double largest = m > 0 ? A.mu_u.maxCoeff() : 0;
  if (!(largest > 0) || !(A.A_nu.diagonal().minCoeff() > 0)) return std::nullopt;
  const VectorXd inverse = A.A_nu.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd G = inverse.asDiagonal() * A.A_nu * inverse.asDiagonal();
  const MatrixXd P =
      -MatrixXd(inverse.asDiagonal() * (A.A_tu * A.mu_u.asDiagonal()) * inverse.asDiagonal());
  if (!((P - P.transpose()).norm() <= 1e-12 * P.norm())) return std::nullopt;
  if (!(G.selfadjointView<Eigen::Lower>().eigenvalues()[0] > 1e-12)) return 0;
  // ε* is where the least eigenvalue of L⁻¹P L⁻ᵀ, with G = L Lᵀ, reaches −1/ε.
  MatrixXd L = MatrixXd::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    L(j, j) = std::sqrt(G(j, j) - L.row(j).head(j).squaredNorm());
    for (Index i = j + 1; i < m; ++i)
      L(i, j) = (G(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  const DenseLu factor(L);
  const MatrixXd half = factor.solve(P);
  const MatrixXd turned = factor.solve(half.transpose());
  const double least = turned.selfadjointView<Eigen::Lower>().eigenvalues()[0];
  return least < 0 ? largest / -least : infinity;
}

PainleveRatio painleve_ratios(const ContactSystem& system) {
  const ConstraintSet& contacts = system.unilateral;
  const SparseRows& N_b = system.bilateral.normal;
  const Index m = contacts.size();
  PainleveRatio result{VectorXd::Constant(m, infinity), VectorXd::Zero(m)};
  // Gradients with their part along the bilateral ones taken out, when there are any; done densely,
  // for mechanisms are small beside packings.
  const MatrixXd held(N_b);
  std::optional<LeastSquares> inverse;
  if (N_b.rows() > 0) inverse.emplace(held * held.transpose(), 1e-11);
  const auto free_part = [&](const VectorXd& row) -> VectorXd {
    return row - held.transpose() * inverse->solve(held * row);
  };
  for (Index i = 0; i < m; ++i) {
    double nn = 0;
    VectorXd nt = VectorXd::Zero(system.tangents);
    if (N_b.rows() == 0) {
      nn = contacts.normal.row(i).squaredNorm();
      for (int k = 0; k < system.tangents; ++k) {
        nt[k] = contacts.normal.row(i).dot(contacts.tangent.row(i * system.tangents + k));
      }
    } else {
      const VectorXd n = free_part(contacts.normal.row(i).transpose());
      nn = n.squaredNorm();
      for (int k = 0; k < system.tangents; ++k) {
        nt[k] = contacts.tangent.row(i * system.tangents + k).dot(n.transpose());
      }
    }
    const bool slides = contacts.slip.col(i).squaredNorm() > 0;
    const double coupling = slides ? contacts.slip.col(i).dot(nt) : nt.norm();
    if (coupling > 1e-14 * nn) {
      result.critical[i] = nn / coupling;
      result.ratio[i] = contacts.friction[i] / result.critical[i];
    }
  }
  return result;
}

}  // namespace talus
