// SPDX-License-Identifier: Apache-2.0
// The Delassus form of a problem given with its velocities or with equality constraints, by
// eliminating both:
//     M v = H p + G λ + f,  Gᵀ v + g = 0,  u = Hᵀ v + w    →   u = W p + b,
// with v = v₀ + Y p and λ = λ₀ + Λ p kept, so that they can be told afterwards.
#pragma once

#include <Eigen/SparseCore>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

using SparseMatrix = Eigen::SparseMatrix<double>;  // by columns

template <int D>
struct Condensed {
  ContactProblem<D> problem;  // in Delassus form; factored where M falls into small blocks
  SparseMatrix Y = {}, Lambda = {};
  Eigen::VectorXd v0 = {}, lambda0 = {};
};

// A⁻¹ B. The graph of A falls into connected parts, one per body when A is a mass matrix: small
// parts are inverted densely, large ones (finite elements) factorised as sparse matrices, so the
// cost is that of the parts. Throws std::domain_error where a part is singular.
SparseMatrix solve_by_parts(const SparseMatrix& A, const SparseMatrix& B);

// v = v₀ + Y p and λ = λ₀ + Λ p from the first two equations.
struct Elimination {
  SparseMatrix Y, Lambda;
  Eigen::VectorXd v0, lambda0;
  bool in_small_parts = false;  // M falls into small blocks, and there are no equalities
};
Elimination eliminate(const SparseMatrix& M, const SparseMatrix& H, const SparseMatrix& G,
                      const Eigen::VectorXd& f, const Eigen::VectorXd& g);

// M square, H with D columns per contact, G with a column per equality (possibly none).
template <int D>
Condensed<D> condense_global(const SparseMatrix& M, const SparseMatrix& H, const SparseMatrix& G,
                             const Eigen::VectorXd& f, const Eigen::VectorXd& w,
                             const Eigen::VectorXd& g);

// u = W p + V λ + q with Vᵀ p + R λ + s = 0.
template <int D>
Condensed<D> condense_local(const SparseMatrix& W, const SparseMatrix& V, const SparseMatrix& R,
                            const Eigen::VectorXd& q, const Eigen::VectorXd& s);

// Scalar entries gathered into D×D blocks, with a diagonal block in every row.
template <int D>
DelassusOperator<D> gather_blocks(const SparseMatrix& W);

}  // namespace talus
