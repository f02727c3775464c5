// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/condense.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "solvers/math/dense.hpp"
#include "solvers/math/disjoint_sets.hpp"

namespace talus {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr Eigen::Index dense_limit = 96;        // unknowns; above it a sparse factorisation pays
constexpr double solved_to = 1e-10;             // residual of redundant equations, relative
constexpr Eigen::Index redundant_limit = 1000;  // unknowns of a dense orthogonal decomposition

// Equations of a singular part that repeat each other: an error, or the shortest solution.
enum class Redundant { refused, allowed };

// The connected parts of A's graph, as lists of unknowns.
std::vector<std::vector<int>> connected_parts(const SparseMatrix& A) {
  const int n = static_cast<int>(A.cols());
  DisjointSets sets;
  sets.reset(at(n));
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      if (it.value() != 0) sets.join(static_cast<int>(it.row()), j);
  std::vector<int> part_of(n, -1);
  std::vector<std::vector<int>> parts;
  for (int i = 0; i < n; ++i) {
    const int r = sets.find(i);
    if (part_of[r] < 0) {
      part_of[r] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[part_of[r]].push_back(i);
  }
  return parts;
}

// As the mass matrix of rigid bodies has, whatever their coordinates.
bool has_small_parts(const SparseMatrix& A) {
  constexpr std::size_t small = 12;
  for (const std::vector<int>& part : connected_parts(A))
    if (part.size() > small) return false;
  return true;
}

// Rows of H and Y by contact; both have D columns for each.
template <int D>
FactoredOperator<D> factored_operator(const SparseMatrix& H, const SparseMatrix& Y) {
  FactoredOperator<D> W;
  W.velocities = static_cast<std::size_t>(H.rows());
  std::vector<int> slot(W.velocities, -1);
  for (int i = 0; i < H.cols() / D; ++i) {
    const std::size_t first = W.velocity.size();
    const auto entry = [&](Eigen::Index velocity) {
      int& place = slot[static_cast<std::size_t>(velocity)];
      if (place < 0) {
        place = static_cast<int>(W.velocity.size());
        W.velocity.push_back(static_cast<int>(velocity));
        W.H.push_back(Vec<D>::Zero());
        W.Y.push_back(Vec<D>::Zero());
      }
      return at(place);
    };
    for (int c = 0; c < D; ++c) {
      for (SparseMatrix::InnerIterator it(H, D * i + c); it; ++it)
        W.H[entry(it.row())][c] = it.value();
      for (SparseMatrix::InnerIterator it(Y, D * i + c); it; ++it)
        W.Y[entry(it.row())][c] = it.value();
    }
    for (std::size_t k = first; k < W.velocity.size(); ++k) slot[at(W.velocity[k])] = -1;
    W.start.push_back(W.velocity.size());
  }
  return W;
}

// The shortest X with A X = B for a symmetric A of any rank: redundant rows of a mechanism. Throws
// std::domain_error where there is none.
Eigen::MatrixXd solve_redundant(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::MatrixXd X = LeastSquares(A, 1e-13).solve(B);
  if (!A.isApprox(A.transpose(), 1e-12) || !((A * X - B).norm() <= solved_to * B.norm()))
    throw std::domain_error("singular matrix");
  return X;
}

// Solves A_part X = B for one part. B and X are dense over the columns the part meets.
Eigen::MatrixXd solve_part(const SparseMatrix& A, const std::vector<int>& part,
                           const std::vector<int>& place, const Eigen::MatrixXd& B,
                           Redundant redundant) {
  const Eigen::Index n = static_cast<Eigen::Index>(part.size());
  Eigen::MatrixXd X;
  if (n <= dense_limit) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
      for (SparseMatrix::InnerIterator it(A, part[j]); it; ++it)
        if (it.value() != 0) dense(place[it.row()], j) += it.value();
    const DenseLu lu(dense);
    if (!(lu.pivot_ratio() > 1e-16)) {
      if (redundant == Redundant::refused) throw std::domain_error("singular matrix");
      return solve_redundant(dense, B);
    }
    X = lu.solve(B);
  } else {
    Triplets entries;
    for (Eigen::Index j = 0; j < n; ++j)
      for (SparseMatrix::InnerIterator it(A, part[j]); it; ++it)
        if (it.value() != 0) entries.emplace_back(place[it.row()], static_cast<int>(j), it.value());
    SparseMatrix sparse(n, n);
    sparse.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<SparseMatrix> lu;
    lu.compute(sparse);
    bool solved = lu.info() == Eigen::Success;
    if (solved && B.cols() == 0) return B;  // Eigen would touch its first column
    if (solved) {
      X = lu.solve(B);
      X += lu.solve(B - sparse * X);  // one step of refinement
      // A pivot that is zero but for rounding is no failure to Eigen.
      if (redundant == Redundant::allowed) solved = (B - sparse * X).norm() <= solved_to * B.norm();
    }
    if (!solved) {
      if (redundant == Redundant::refused || n > redundant_limit)
        throw std::domain_error("singular matrix");
      return solve_redundant(sparse, B);
    }
  }
  if (!X.allFinite()) throw std::domain_error("singular matrix");
  return X;
}

SparseMatrix from_triplets(Eigen::Index rows, Eigen::Index columns, const Triplets& entries) {
  SparseMatrix A(rows, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

SparseMatrix column(const Eigen::VectorXd& x) { return x.sparseView(0.0, 0.0); }

template <int D>
std::vector<Vec<D>> contact_vectors(const Eigen::VectorXd& x) {
  std::vector<Vec<D>> out(x.size() / D);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = x.segment<D>(D * k);
  return out;
}

SparseMatrix solve_by_parts(const SparseMatrix& A, const SparseMatrix& B, Redundant redundant) {
  assert(A.rows() == A.cols() && A.rows() == B.rows());
  const RowMatrix B_rows(B);
  std::vector<int> place(A.rows());     // of an unknown within its part
  std::vector<int> slot(B.cols(), -1);  // of a column of B in the part's B
  Triplets entries;
  entries.reserve(B.nonZeros());
  for (const std::vector<int>& part : connected_parts(A)) {
    std::vector<int> columns;
    for (std::size_t k = 0; k < part.size(); ++k) {
      place[part[k]] = static_cast<int>(k);
      for (RowMatrix::InnerIterator it(B_rows, part[k]); it; ++it) {
        if (slot[it.col()] >= 0) continue;
        slot[it.col()] = static_cast<int>(columns.size());
        columns.push_back(static_cast<int>(it.col()));
      }
    }
    Eigen::MatrixXd rhs = Eigen::MatrixXd::Zero(part.size(), columns.size());
    for (std::size_t k = 0; k < part.size(); ++k)
      for (RowMatrix::InnerIterator it(B_rows, part[k]); it; ++it)
        rhs(k, slot[it.col()]) += it.value();
    const Eigen::MatrixXd X = solve_part(A, part, place, rhs, redundant);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t k = 0; k < part.size(); ++k)
        if (X(k, c) != 0) entries.emplace_back(part[k], columns[c], X(k, c));
      slot[columns[c]] = -1;
    }
  }
  return from_triplets(B.rows(), B.cols(), entries);
}

}  // namespace

SparseMatrix solve_by_parts(const SparseMatrix& A, const SparseMatrix& B) {
  return solve_by_parts(A, B, Redundant::refused);
}

template <int D>
DelassusOperator<D> gather_blocks(const SparseMatrix& W) {
  assert(W.rows() == W.cols() && W.rows() % D == 0);
  const RowMatrix rows(W);
  const int n = static_cast<int>(W.rows() / D);
  DelassusOperator<D> out;
  out.row_start.reserve(n + 1);
  std::vector<int> slot(n, -1), columns;
  for (int i = 0; i < n; ++i) {
    columns.assign(1, i);
    slot[i] = 0;
    for (int k = D * i; k < D * (i + 1); ++k) {
      for (RowMatrix::InnerIterator it(rows, k); it; ++it) {
        const int j = static_cast<int>(it.col() / D);
        if (slot[j] >= 0) continue;
        slot[j] = 0;
        columns.push_back(j);
      }
    }
    std::sort(columns.begin(), columns.end());
    const std::size_t first = out.block.size();
    for (std::size_t k = 0; k < columns.size(); ++k) slot[columns[k]] = static_cast<int>(k);
    out.column.insert(out.column.end(), columns.begin(), columns.end());
    out.block.resize(first + columns.size(), Mat<D>::Zero());
    for (int k = D * i; k < D * (i + 1); ++k)
      for (RowMatrix::InnerIterator it(rows, k); it; ++it)
        out.block[first + slot[it.col() / D]](k - D * i, it.col() % D) += it.value();
    for (int j : columns) slot[j] = -1;
    out.row_start.push_back(out.block.size());
  }
  return out;
}

Elimination eliminate(const SparseMatrix& M, const SparseMatrix& H, const SparseMatrix& G,
                      const Eigen::VectorXd& f, const Eigen::VectorXd& g) {
  // [M −G; Gᵀ 0] [v; λ] = [H; 0] p + [f; −g]
  const Eigen::Index n = M.rows(), m = H.cols(), k = G.cols();
  Triplets entries;
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  for (int j = 0; j < k; ++j) {
    for (SparseMatrix::InnerIterator it(G, j); it; ++it) {
      const int row = static_cast<int>(it.row()), multiplier = static_cast<int>(n) + j;
      entries.emplace_back(row, multiplier, -it.value());
      entries.emplace_back(multiplier, row, it.value());
    }
  }
  const SparseMatrix A = from_triplets(n + k, n + k, entries);
  entries.clear();
  for (int j = 0; j < m; ++j)
    for (SparseMatrix::InnerIterator it(H, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  for (int i = 0; i < n + k; ++i)
    entries.emplace_back(i, static_cast<int>(m), i < n ? f[i] : -g[i - n]);
  const SparseMatrix X = solve_by_parts(A, from_triplets(n + k, m + 1, entries));

  Elimination out;
  out.Y = X.leftCols(m).topRows(n);
  out.Lambda = X.leftCols(m).bottomRows(k);
  const Eigen::VectorXd x0 = X.col(m);
  out.v0 = x0.head(n);
  out.lambda0 = x0.tail(k);
  out.in_small_parts = k == 0 && has_small_parts(A);
  return out;
}

template <int D>
Condensed<D> condense_global(const SparseMatrix& M, const SparseMatrix& H, const SparseMatrix& G,
                             const Eigen::VectorXd& f, const Eigen::VectorXd& w,
                             const Eigen::VectorXd& g) {
  Elimination eliminated = eliminate(M, H, G, f, g);
  Condensed<D> out;
  const SparseMatrix Ht = H.transpose();
  if (eliminated.in_small_parts) {
    out.problem.W = factored_operator<D>(H, eliminated.Y);
  } else {
    out.problem.W = gather_blocks<D>(Ht * eliminated.Y);
  }
  out.problem.b = contact_vectors<D>(Ht * eliminated.v0 + w);
  out.Y = std::move(eliminated.Y);
  out.Lambda = std::move(eliminated.Lambda);
  out.v0 = std::move(eliminated.v0);
  out.lambda0 = std::move(eliminated.lambda0);
  return out;
}

template <int D>
Condensed<D> condense_local(const SparseMatrix& W, const SparseMatrix& V, const SparseMatrix& R,
                            const Eigen::VectorXd& q, const Eigen::VectorXd& s) {
  Condensed<D> out;
  if (R.rows() == 0) {
    out.problem.W = gather_blocks<D>(W);
    out.problem.b = contact_vectors<D>(q);
    return out;
  }
  // Joints that repeat each other, or hold what cannot move, leave R singular: u is the same for
  // all λ.
  const SparseMatrix Vt = V.transpose();
  out.Lambda = -solve_by_parts(R, Vt, Redundant::allowed);
  out.lambda0 = -Eigen::VectorXd(solve_by_parts(R, column(s), Redundant::allowed));
  out.problem.W = gather_blocks<D>(W + V * out.Lambda);
  out.problem.b = contact_vectors<D>(q + V * out.lambda0);
  return out;
}

#define TALUS_INSTANTIATE(D)                                                                \
  template DelassusOperator<D> gather_blocks<D>(const SparseMatrix&);                       \
  template Condensed<D> condense_global<D>(const SparseMatrix&, const SparseMatrix&,        \
                                           const SparseMatrix&, const Eigen::VectorXd&,     \
                                           const Eigen::VectorXd&, const Eigen::VectorXd&); \
  template Condensed<D> condense_local<D>(const SparseMatrix&, const SparseMatrix&,         \
                                          const SparseMatrix&, const Eigen::VectorXd&,      \
                                          const Eigen::VectorXd&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE
template DelassusOperator<6> gather_blocks<6>(const SparseMatrix&);  // of wrenches in space

}  // namespace talus
