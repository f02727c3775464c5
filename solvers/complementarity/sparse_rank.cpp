// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/sparse_rank.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
using Factors = Eigen::SimplicialLDLT<Sparse, Eigen::Lower>;

constexpr double rank_tolerance = 1e-9;   // on singular values, relative
constexpr double shift = 1e-11;           // of A Aᵀ with unit rows
constexpr double pivot_tolerance = 1e-7;  // pivots of dependent rows come out near the shift
constexpr double part_tolerance = 1e-4;   // of a row in a random null vector

// Rows of unit length; rows that vanish stay.
SparseRows normalised(const SparseRows& A) {
  SparseRows unit = A;
  for (Index i = 0; i < unit.rows(); ++i) {
    const double norm = A.row(i).norm();
    if (norm > 0) unit.row(i) /= norm;
  }
  return unit;
}

RowSpace dense_row_space(const MatrixXd& A) {
  RowSpace space;
  const LeastSquares factors(A.transpose(), rank_tolerance);
  space.rank = factors.rank();
  if (space.rank == A.rows()) return space;
  const MatrixXd null = factors.null_space();  // of Aᵀ: dependences of the rows
  for (Index i = 0; i < A.rows(); ++i)
    if (null.row(i).norm() > 1e-7) space.dependent.push_back(static_cast<int>(i));
  return space;
}

}  // namespace

RowSpace row_space(const SparseRows& A, Index most_dense) {
  if (A.rows() == 0) return {};
  const SparseRows unit = normalised(A);
  if (A.rows() <= most_dense) return dense_row_space(MatrixXd(unit));

  // Whichever is smaller of A Aᵀ and AᵀA, which have the same rank.
  const bool by_rows = A.rows() <= A.cols();
  const SparseRows turned = unit.transpose();
  const Sparse K = by_rows ? Sparse(unit * turned) : Sparse(turned * unit);
  Factors factors;
  factors.setShift(shift);
  factors.compute(K);
  RowSpace space;
  const VectorXd pivots = factors.vectorD();
  for (const double pivot : pivots) space.rank += pivot > pivot_tolerance;
  if (space.rank == A.rows()) return space;

  // What is left of a random vector without its part in the range of A is a dependence of rows:
  // x ← x − (A Aᵀ + ε)⁻¹A Aᵀ x or x ← x − A (AᵀA + ε)⁻¹Aᵀ x, the proximal-point iteration.
  const auto range_part = [&](const VectorXd& x) -> VectorXd {
    if (by_rows) return factors.solve(K * x);
    return unit * factors.solve(turned * x);
  };
  std::mt19937 generator(1);
  std::vector<char> takes_part(static_cast<std::size_t>(A.rows()), 0);
  for (int probe = 0; probe < 3; ++probe) {
    VectorXd x(A.rows());
    for (double& value : x) value = std::normal_distribution<double>()(generator);
    for (int k = 0; k < 20; ++k) {
      const VectorXd part = range_part(x);
      x -= part;
      if (part.norm() <= 1e-9 * x.norm()) break;
    }
    for (Index i = 0; i < A.rows(); ++i)
      if (std::abs(x[i]) > part_tolerance) takes_part[static_cast<std::size_t>(i)] = 1;
  }
  for (std::size_t i = 0; i < takes_part.size(); ++i)
    if (takes_part[i]) space.dependent.push_back(static_cast<int>(i));
  return space;
}

double largest_singular_value(const Sparse& A) {
  if (A.nonZeros() == 0) return 0;
  VectorXd x = VectorXd::LinSpaced(A.cols(), 1, 2).normalized();
  double value = 0;
  for (int k = 0; k < 2000; ++k) {
    const VectorXd y = A.transpose() * (A * x);
    const double norm = y.norm(), next = std::sqrt(norm);
    if (!(norm > 0)) return 0;
    x = y / norm;
    if (std::abs(next - value) <= 1e-10 * next) return next;
    value = next;
  }
  return value;
}

double least_eigenvalue(const Sparse& A) {
  Factors factors(A);
  if (factors.info() != Eigen::Success || !(factors.vectorD().minCoeff() > 0)) return 0;
  VectorXd x = VectorXd::LinSpaced(A.cols(), 1, 2).normalized();
  double value = 0;
  for (int k = 0; k < 2000; ++k) {
    const VectorXd y = factors.solve(x);
    const double norm = y.norm();
    if (!(norm > 0) || !std::isfinite(norm)) return 0;
    x = y / norm;
    if (std::abs(norm - value) <= 1e-10 * norm) return 1 / norm;
    value = norm;
  }
  return 1 / value;
}

bool is_positive_definite(const Sparse& A) {
  const Sparse symmetric = 0.5 * (A + Sparse(A.transpose()));
  Factors factors(symmetric);
  if (factors.info() != Eigen::Success) return false;
  return factors.vectorD().minCoeff() > 1e-10 * symmetric.diagonal().maxCoeff();
}

}  // namespace talus
