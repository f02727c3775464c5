// SPDX-License-Identifier: Apache-2.0
// Sparse LU of a matrix of D×D blocks whose pattern is symmetric and whose values need not be, as
// the Newton systems A + B W of contact problems are. The order of elimination is chosen once for
// the pattern (approximate minimum degree); there is no pivoting between blocks, so that every
// factorisation after the first is arithmetic only.
#pragma once

#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

template <int D>
class BlockLu {
 public:
  // Takes the pattern of W, and of its transpose. False when the factors would have more than
  // max_blocks blocks, or take more than max_products block products each time; nothing else may
  // then be called.
  bool analyse(const DelassusOperator<D>& W, std::size_t max_blocks = 20'000'000,
               double max_products = 3e8);

  // A has the pattern analysed. False when a pivot block is singular or not finite.
  bool factorise(const DelassusOperator<D>& A);

  // The same for half the work where A is symmetric; only one half of A is read.
  bool factorise_symmetric(const DelassusOperator<D>& A);

  // Solves A x = b in place.
  void solve(std::vector<Vec<D>>& b) const;

  // Multiply-add pairs of block products in one factorisation, the measure of its cost.
  double block_products() const { return block_products_; }
  std::size_t blocks() const { return L_.size() + U_.size() + pivot_inverse_.size(); }

 private:
  void unpack(const DelassusOperator<D>& A, std::size_t i);  // row i of A into row_
  bool pack(std::size_t i);                                  // row_ into row i of U

  std::vector<int> place_;  // of a contact in the order of elimination
  std::vector<int> contact_;
  // Rows in the order of elimination: L strictly left of the diagonal, U strictly right of it.
  std::vector<std::size_t> L_start_, U_start_;
  std::vector<int> L_column_, U_column_;
  std::vector<Mat<D>> L_, U_, pivot_inverse_;
  std::vector<Mat<D>> row_;  // work: one row, unpacked
  mutable std::vector<Vec<D>> y_;
  double block_products_ = 0;
};

}  // namespace talus
