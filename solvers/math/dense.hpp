// SPDX-License-Identifier: Apache-2.0
// Factorisations of small dense matrices, Eigen's with what it leaves to the caller: thresholds,
// null spaces, and right sides without columns.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

namespace talus {

// A = P⁻¹ L U of a square matrix.
class DenseLu {
 public:
  explicit DenseLu(const Eigen::MatrixXd& A);

  // Least over largest modulus of the pivots; 1 for an empty matrix.
  double pivot_ratio() const;
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

// The shortest x of least ‖A x − b‖, for A of any shape and rank. Pivots below `threshold` times
// the largest count as zero.
class LeastSquares {
 public:
  LeastSquares(const Eigen::MatrixXd& A, double threshold);

  Eigen::Index rank() const;
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const;
  Eigen::MatrixXd null_space() const;  // orthonormal columns

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors_;
};

}  // namespace talus
