// SPDX-License-Identifier: Apache-2.0
// Ranks and null spaces of large sets of constraints.
#pragma once

#include <vector>

#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

struct RowSpace {
  Eigen::Index rank = 0;
  std::vector<int> dependent;  // rows that take part in a linear dependence of rows
};

// Of the rows of a sparse matrix. Dense singular values where the smaller side is short, otherwise
// the pivots of a sparse factorisation of A Aᵀ with a small shift, and for the dependences vectors
// of its null space found from random ones.
RowSpace row_space(const SparseRows& A, Eigen::Index most_dense);

// Largest singular value by power iteration.
double largest_singular_value(const Eigen::SparseMatrix<double>& A);

// Smallest eigenvalue of a symmetric positive definite matrix by inverse iteration; 0 if the
// factorisation meets a pivot that is not positive.
double least_eigenvalue(const Eigen::SparseMatrix<double>& A);

// Whether xᵀA x > 0 for all x ≠ 0, by the pivots of the symmetric part.
bool is_positive_definite(const Eigen::SparseMatrix<double>& A);

}  // namespace talus
