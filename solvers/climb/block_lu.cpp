// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/block_lu.hpp"

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <iterator>

namespace talus {

namespace {

using Pattern = Eigen::SparseMatrix<double>;

// The pattern of W and of its transpose together, as a matrix of ones.
Pattern symmetric_pattern(std::size_t n, const std::vector<std::size_t>& row_start,
                          const std::vector<int>& column) {
  std::vector<std::size_t> count(n + 1, 0);  // of the transpose, then where its rows start
  for (const int j : column) ++count[static_cast<std::size_t>(j) + 1];
  for (std::size_t i = 0; i < n; ++i) count[i + 1] += count[i];
  std::vector<int> transposed(column.size());
  std::vector<std::size_t> next(count.begin(), count.end() - 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = row_start[i]; k < row_start[i + 1]; ++k)
      transposed[next[static_cast<std::size_t>(column[k])]++] = static_cast<int>(i);

  Pattern pattern(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  pattern.reserve(static_cast<Eigen::Index>(column.size() + n));
  std::vector<int> both;
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = column.begin() + static_cast<std::ptrdiff_t>(row_start[i]);
    const auto last = column.begin() + static_cast<std::ptrdiff_t>(row_start[i + 1]);
    const auto t_first = transposed.begin() + static_cast<std::ptrdiff_t>(count[i]);
    const auto t_last = transposed.begin() + static_cast<std::ptrdiff_t>(count[i + 1]);
    both.clear();
    std::set_union(first, last, t_first, t_last, std::back_inserter(both));
    pattern.startVec(static_cast<Eigen::Index>(i));
    for (const int j : both) pattern.insertBack(j, static_cast<Eigen::Index>(i)) = 1;
  }
  pattern.finalize();
  return pattern;
}

}  // namespace

template <int D>
bool BlockLu<D>::analyse(const DelassusOperator<D>& W, std::size_t max_blocks,
                         double max_products) {
  const std::size_t n = W.row_start.size() - 1;
  const Pattern pattern = symmetric_pattern(n, W.row_start, W.column);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern.selfadjointView<Eigen::Upper>(), order);
  place_.resize(n);
  contact_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const int contact = order.indices()[static_cast<Eigen::Index>(k)];
    contact_[k] = contact;
    place_[static_cast<std::size_t>(contact)] = static_cast<int>(k);
  }

  // Row i of L is met by walking up the elimination tree from every entry of row i of A.
  std::vector<int> parent(n, -1), mark(n, -1);
  std::vector<std::vector<int>> rows(n);
  std::vector<std::size_t> U_count(n, 0);
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mark[i] = static_cast<int>(i);
    for (Pattern::InnerIterator it(pattern, contact_[i]); it; ++it) {
      for (int k = place_[static_cast<std::size_t>(it.row())];
           k < static_cast<int>(i) && mark[static_cast<std::size_t>(k)] != static_cast<int>(i);
           k = parent[static_cast<std::size_t>(k)]) {
        const std::size_t at = static_cast<std::size_t>(k);
        if (parent[at] < 0) parent[at] = static_cast<int>(i);
        mark[at] = static_cast<int>(i);
        rows[i].push_back(k);
        ++U_count[at];
      }
    }
    std::sort(rows[i].begin(), rows[i].end());
    blocks += 2 * rows[i].size();
    if (blocks > max_blocks) return false;
  }
  L_start_.assign(1, 0);
  U_start_.assign(1, 0);
  L_column_.clear();
  block_products_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    L_column_.insert(L_column_.end(), rows[i].begin(), rows[i].end());
    L_start_.push_back(L_column_.size());
    U_start_.push_back(U_start_.back() + U_count[i]);
    block_products_ += static_cast<double>(U_count[i]) * static_cast<double>(U_count[i] + 1);
  }
  if (block_products_ > max_products) return false;
  U_column_.resize(L_column_.size());
  std::vector<std::size_t> next(U_start_.begin(), U_start_.end() - 1);
  for (std::size_t i = 0; i < n; ++i)
    for (int k : rows[i]) U_column_[next[static_cast<std::size_t>(k)]++] = static_cast<int>(i);
  L_.resize(L_column_.size());
  U_.resize(U_column_.size());
  pivot_inverse_.resize(n);
  row_.assign(n, Mat<D>::Zero());
  y_.resize(n);
  return true;
}

template <int D>
void BlockLu<D>::unpack(const DelassusOperator<D>& A, std::size_t i) {
  for (std::size_t k = L_start_[i]; k < L_start_[i + 1]; ++k)
    row_[static_cast<std::size_t>(L_column_[k])].setZero();
  for (std::size_t k = U_start_[i]; k < U_start_[i + 1]; ++k)
    row_[static_cast<std::size_t>(U_column_[k])].setZero();
  row_[i].setZero();
  const std::size_t contact = static_cast<std::size_t>(contact_[i]);
  for (std::size_t k = A.row_start[contact]; k < A.row_start[contact + 1]; ++k)
    row_[static_cast<std::size_t>(place_[static_cast<std::size_t>(A.column[k])])] = A.block[k];
}

template <int D>
bool BlockLu<D>::pack(std::size_t i) {
  for (std::size_t k = U_start_[i]; k < U_start_[i + 1]; ++k)
    U_[k] = row_[static_cast<std::size_t>(U_column_[k])];
  pivot_inverse_[i] = row_[i].inverse();
  return pivot_inverse_[i].allFinite();
}

template <int D>
bool BlockLu<D>::factorise(const DelassusOperator<D>& A) {
  for (std::size_t i = 0; i < place_.size(); ++i) {
    unpack(A, i);
    for (std::size_t k = L_start_[i]; k < L_start_[i + 1]; ++k) {
      const std::size_t pivot = static_cast<std::size_t>(L_column_[k]);
      const Mat<D> l = row_[pivot] * pivot_inverse_[pivot];
      L_[k] = l;
      for (std::size_t m = U_start_[pivot]; m < U_start_[pivot + 1]; ++m)
        row_[static_cast<std::size_t>(U_column_[m])].noalias() -= l * U_[m];
    }
    if (!pack(i)) return false;
  }
  return true;
}

template <int D>
bool BlockLu<D>::factorise_symmetric(const DelassusOperator<D>& A) {
  std::vector<std::size_t> next(U_start_.begin(), U_start_.end() - 1);
  for (std::size_t i = 0; i < place_.size(); ++i) {
    unpack(A, i);
    for (std::size_t k = L_start_[i]; k < L_start_[i + 1]; ++k) {
      // Rows meet the entries of a pivot's row of U in their order: the next one is (pivot, i), and
      // what lies before it belongs to the half that symmetry gives.
      const std::size_t pivot = static_cast<std::size_t>(L_column_[k]);
      const std::size_t first = next[pivot]++;
      const Mat<D> l = U_[first].transpose() * pivot_inverse_[pivot];
      L_[k] = l;
      for (std::size_t m = first; m < U_start_[pivot + 1]; ++m)
        row_[static_cast<std::size_t>(U_column_[m])].noalias() -= l * U_[m];
    }
    if (!pack(i)) return false;
  }
  return true;
}

template <int D>
void BlockLu<D>::solve(std::vector<Vec<D>>& b) const {
  const std::size_t n = place_.size();
  for (std::size_t i = 0; i < n; ++i) {
    Vec<D> y = b[static_cast<std::size_t>(contact_[i])];
    for (std::size_t k = L_start_[i]; k < L_start_[i + 1]; ++k)
      y.noalias() -= L_[k] * y_[static_cast<std::size_t>(L_column_[k])];
    y_[i] = y;
  }
  for (std::size_t i = n; i-- > 0;) {
    Vec<D> y = y_[i];
    for (std::size_t k = U_start_[i]; k < U_start_[i + 1]; ++k)
      y.noalias() -= U_[k] * y_[static_cast<std::size_t>(U_column_[k])];
    y_[i].noalias() = pivot_inverse_[i] * y;
    b[static_cast<std::size_t>(contact_[i])] = y_[i];
  }
}

template class BlockLu<2>;
template class BlockLu<3>;
template class BlockLu<6>;  // wrenches in space

}  // namespace talus
