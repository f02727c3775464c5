// SPDX-License-Identifier: Apache-2.0
// Mixed and horizontal complementarity problems, small and dense, by reduction to an LCP where one
// exists and by enumeration always.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "solvers/complementarity/lcp.hpp"

namespace talus {

// A x + B y + a = 0,   0 ≤ y ⟂ C x + D y + c ≥ 0
struct MixedProblem {
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd a, c;
};
struct MixedSolution {
  Eigen::VectorXd x, y;
  int freedom = 0;  // > 0: one of infinitely many
};

// By Lemke on the Schur complement of A. Empty when A is singular or the method ends on a ray.
std::optional<MixedSolution> solve_mlcp(const MixedProblem& problem);
std::vector<MixedSolution> enumerate_mlcp(const MixedProblem& problem);

// P x⁺ − N x⁻ + r = 0,   0 ≤ x⁺ ⟂ x⁻ ≥ 0
struct HorizontalProblem {
  Eigen::MatrixXd P, N;
  Eigen::VectorXd r;
};
struct HorizontalSolution {
  Eigen::VectorXd plus, minus;
  int freedom = 0;
};

// By Lemke on x⁺ = P⁻¹N x⁻ − P⁻¹r. Empty when P is singular or the method ends on a ray.
std::optional<HorizontalSolution> solve_hlcp(const HorizontalProblem& problem);
std::vector<HorizontalSolution> enumerate_hlcp(const HorizontalProblem& problem);

// A solution exists and is unique for every r exactly when P is regular and P⁻¹N is a P-matrix;
// this is that matrix. Empty when P is singular.
std::optional<Eigen::MatrixXd> hlcp_matrix(const HorizontalProblem& problem);

}  // namespace talus
