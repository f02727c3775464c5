// SPDX-License-Identifier: Apache-2.0
// Linear complementarity problems, small and dense: find z with
//     0 ≤ z ⟂ w = M z + q ≥ 0.
// One solution by Lemke's method, all of them by enumeration. The analysis of contact problems
// lives on these; a run does not.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace talus {

enum class LemkeEnd {
  solved,
  ray,  // no solution was found: for copositive-plus and P₀ ∩ Q₀ matrices there is none
  pivot_limit  // cannot happen with exact arithmetic, for lexicographic ties exclude cycling
};

struct LemkeAnswer {
  LemkeEnd end = LemkeEnd::ray;
  Eigen::VectorXd z, w;
  int pivots = 0;
};

// Lemke's complementary pivoting with covering vector 1 and lexicographic ties.
LemkeAnswer solve_lemke(const Eigen::MatrixXd& M, const Eigen::VectorXd& q);

// max( |min(z, w)| ) with w = M z + q, relative to the size of q: zero exactly for a solution.
double lcp_residual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z);

// Whether vᵀq ≥ 0 for all v with 0 ≤ v ⟂ M v ≥ 0. Then, if M is copositive, there is a solution
// [BBB16, Theorem 2]. 2ⁿ cells: n ≤ 12.
bool is_admissible(const Eigen::MatrixXd& M, const Eigen::VectorXd& q);

// One solution, or one of a family of solutions that share their vanishing variables.
struct LcpSolution {
  Eigen::VectorXd z, w;
  bool degenerate = false;  // z_i = w_i = 0 for some i
  int freedom = 0;          // > 0: one of infinitely many
};

// Every solution up to the families they belong to. 2ⁿ linear systems: n ≤ 20.
std::vector<LcpSolution> enumerate_lcp(const Eigen::MatrixXd& M, const Eigen::VectorXd& q);

}  // namespace talus
