// Factorisations of small dense matrices behind plain functions. Eigen's are templates that every
// file would compile anew, at some ten seconds each; here they are compiled once.
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

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);  // ascending
double spectral_radius(Eigen::MatrixXd A);           // largest modulus of an eigenvalue
Eigen::VectorXd singular_values(Eigen::MatrixXd A);  // in no order

}  // namespace talus
