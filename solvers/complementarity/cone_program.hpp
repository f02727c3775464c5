// SPDX-License-Identifier: Apache-2.0
// A linear programme over a product K of Lorentz cones {‖x_T‖ ≤ x_N} and half-lines, with its dual:
//     minimise  cost·x + price·y   over x ∈ K and y,       E x + F y = load           (1)
//     maximise  load·v             over v,  s = cost − Eᵀv ∈ K,  Fᵀv = price          (2)
// K is its own dual. In limit analysis x are contact forces, y forces of joints and the multiplier
// of the live load, (1) is equilibrium, v the collapse mechanism and s its contact velocities.
//
// Solved as its homogeneous self-dual embedding by a primal–dual interior-point method with
// Nesterov and Todd's scaling and Mehrotra's corrector: it needs no start, and where (1) has no
// solution, or none that is best, it ends with the proof. Each iteration factorises E W⁻²Eᵀ, W x =
// W⁻¹ s, which has the size of the equations and their sparsity (LDLᵀ, approximate minimum degree),
// and a dense Schur complement of the size of y.
//
// Ye, Todd, Mizuno 1994; Andersen, Roos, Terlaky 2003; Vandenberghe, The CVXOPT linear and
// quadratic cone program solvers, 2010.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace talus {

struct ConeProgram {
  Eigen::SparseMatrix<double> E, F;
  Eigen::VectorXd load, cost, price;
  std::vector<int> cones;  // how many components of x each has, one after the other; 1: a half-line
};

enum class ConeVerdict {
  solved,
  infeasible,  // (1) has no solution: load·v > 0, −Eᵀv ∈ K, Fᵀv = 0
  unbounded,   // (1) has no best one: cost·x + price·y < 0, E x + F y = 0, x ∈ K
  open         // neither was shown to the tolerance
};

struct ConeSolution {
  ConeVerdict verdict = ConeVerdict::open;
  Eigen::VectorXd x, y, v, s;   // the answer, or the proof
  double primal = 0, dual = 0;  // values of (1) and (2)
  double error = 0;             // largest of the relative residuals of (1), (2) and of their gap
  int iterations = 0;
};

struct ConeOptions {
  double tolerance = 1e-10;  // on `error`; iterations go on while they gain
  double acceptable = 1e-7;  // an error with which an answer counts as solved
  int iterations = 200;
};

// The data should be scaled: columns of E and loads of size one.
template <int D>  // the dimension of the Lorentz cones
ConeSolution solve_cone_program(const ConeProgram& program, const ConeOptions& options = {});

}  // namespace talus
