// SPDX-License-Identifier: Apache-2.0
// The classes of matrices that decide about complementarity problems.
#pragma once

#include <Eigen/Core>

namespace talus {

enum class Verdict { no, yes, unknown };

// All principal minors positive: the LCP has exactly one solution for every q. Exact up to 20 rows,
// by Schur complements; beyond, a sufficient and a necessary condition, or unknown.
Verdict is_P_matrix(const Eigen::MatrixXd& M);

// Smallest and largest of xᵀMx over unit vectors.
struct Definiteness {
  double smallest = 0, largest = 0;
};
Definiteness definiteness(const Eigen::MatrixXd& M);
bool is_positive_definite(const Eigen::MatrixXd& M);

// min xᵀMx over x ≥ 0, Σx = 1: negative, M is not copositive; positive, M is strictly copositive.
// Exact up to 16 rows; beyond, bounds from the eigenvalues and from a local search.
struct Copositivity {
  double lower = 0, upper = 0;  // bounds on that minimum
  Eigen::VectorXd point = {};   // where the upper one is taken

  Verdict copositive(double tolerance) const;
  Verdict strictly(double tolerance) const;
};
Copositivity copositivity(const Eigen::MatrixXd& M);
Verdict is_copositive(const Eigen::MatrixXd& M);
Verdict is_strictly_copositive(const Eigen::MatrixXd& M);

// All principal minors negative [Be, p. 299]: the LCP has 0, 1, 2 or 3 solutions. n ≤ 20.
bool is_N_matrix(const Eigen::MatrixXd& M);

// β₂(M) = max over d in [0,1]ⁿ of ‖(I − D + D M)⁻¹ D‖₂, D = diag(d), for a P-matrix M: every A with
// ‖M − A‖₂ < 1/β₂(M) is a P-matrix, too [BBB16, Theorem 3]. It is the largest ‖M_αα⁻¹‖₂ of all
// principal submatrices, which for M symmetric is M's own. Exact up to 10 rows and for symmetric
// matrices; beyond, a bound from above by the symmetric part, +∞ if that is not positive definite.
double beta_2(const Eigen::MatrixXd& M);

// Largest and smallest singular values; 0 and +∞ for an empty matrix.
double sigma_max(const Eigen::MatrixXd& M);
double sigma_min(const Eigen::MatrixXd& M);

}  // namespace talus
