// SPDX-License-Identifier: Apache-2.0
#include "solvers/math/dense.hpp"

namespace talus {

using Eigen::Index;
using Eigen::MatrixXd;

DenseLu::DenseLu(const MatrixXd& A) : lu_(A) {}

double DenseLu::pivot_ratio() const {
  if (lu_.rows() == 0) return 1;
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() / pivots.maxCoeff();
}

// Eigen's triangular solves take the address of a first column, which nothing has.
MatrixXd DenseLu::solve(const Eigen::Ref<const MatrixXd>& B) const {
  if (B.cols() == 0) return MatrixXd(lu_.cols(), 0);
  return lu_.solve(B);
}

LeastSquares::LeastSquares(const MatrixXd& A, double threshold) {
  factors_.setThreshold(threshold);
  factors_.compute(A);
}

Index LeastSquares::rank() const { return factors_.rank(); }

MatrixXd LeastSquares::solve(const Eigen::Ref<const MatrixXd>& B) const {
  if (B.cols() == 0) return MatrixXd(factors_.cols(), 0);
  return factors_.solve(B);
}

// A P = Q (T 0; 0 0) Z, so A x = 0 for x = P Zᵀ (0; y).
MatrixXd LeastSquares::null_space() const {
  const Index unseen = factors_.cols() - factors_.rank();
  const MatrixXd Z = factors_.matrixZ();
  return factors_.colsPermutation() * Z.bottomRows(unseen).transpose();
}

}  // namespace talus
