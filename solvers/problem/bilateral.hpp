// SPDX-License-Identifier: Apache-2.0
// Bilateral rows solved by themselves: K λ = r with K = J M⁻¹ Jᵀ + compliance, sparse and positive
// semidefinite; singular where rows are redundant, as in closed loops in space.
//
// K + εI is factorised (sparse LDLᵀ) and its solution refined on K itself,
//     λ ← λ + (K + εI)⁻¹ (r − K λ),   λ₀ = 0,
// the proximal-point iteration. For r in the range of K, as the rows of a mechanism that can move
// give it, λ stays in the range, so that the limit is the solution of least Euclidean norm: the
// motion is unique, and of the multipliers the shortest are returned.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <memory>
#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

class BilateralFactors;

template <int D>
class BilateralSystem {
 public:
  BilateralSystem();
  ~BilateralSystem();
  BilateralSystem(BilateralSystem&&) noexcept;
  BilateralSystem& operator=(BilateralSystem&&) noexcept;

  // Factorises K of these rows, whose bounds and biases play no role. The order of elimination is
  // kept while the rows join the same bodies. Time and memory are linear in the rows of a chain.
  void factorise(std::span<const LinearRow<D>> rows, std::span<const MassBlock<D>> mass);

  Eigen::Index size() const { return K_.rows(); }

  // λ of K λ = r, of least norm where it is not unique. What is left of r where it is not in the
  // range of K is the caller's to judge.
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const;

  const Eigen::SparseMatrix<double>& K() const { return K_; }  // lower triangle

 private:
  Eigen::SparseMatrix<double> K_;
  std::vector<std::vector<int>> rows_of_body_;
  std::unique_ptr<BilateralFactors> factors_;
};

}  // namespace talus
