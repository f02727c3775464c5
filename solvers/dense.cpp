#include "solvers/dense.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

// Gelfand's formula: ‖Aᵐ‖^(1/m) for m = 2⁵⁰ by repeated squaring, the size kept as a logarithm.
double spectral_radius(MatrixXd A) {
  double size = 0;  // log ‖Aᵐ‖^(1/m)
  for (double m = 1; m < 0x1p50; m *= 2) {
    const double norm = A.norm();
    if (!(norm > 0)) return 0;  // nilpotent
    size += std::log(norm) / m;
    A /= norm;
    A = (A * A).eval();
  }
  return std::exp(size);
}

// One-sided Jacobi (Hestenes 1958): plane rotations from the right until the columns are
// orthogonal; their lengths are the singular values.
VectorXd singular_values(MatrixXd A) {
  if (A.cols() > A.rows()) A = A.transpose().eval();
  constexpr double orthogonal = 4 * std::numeric_limits<double>::epsilon();
  // Columns of a singular matrix end as rounding, which is orthogonal to nothing and need not be.
  const double rounding =
      static_cast<double>(A.cols()) * std::numeric_limits<double>::epsilon() * A.norm();
  for (bool turned = true; turned;) {
    turned = false;
    for (Index j = 1; j < A.cols(); ++j) {
      for (Index i = 0; i < j; ++i) {
        const double ii = A.col(i).squaredNorm(), jj = A.col(j).squaredNorm();
        const double ij = A.col(i).dot(A.col(j));
        if (std::sqrt(std::min(ii, jj)) <= rounding) continue;
        if (!(std::abs(ij) > orthogonal * std::sqrt(ii) * std::sqrt(jj))) continue;
        turned = true;
        const double zeta = (jj - ii) / (2 * ij);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        const VectorXd old = A.col(i);
        A.col(i) = c * old - s * A.col(j);
        A.col(j) = s * old + c * A.col(j);
      }
    }
  }
  return A.colwise().norm();
}

}  // namespace talus
