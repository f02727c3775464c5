// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/mlcp.hpp"

#include <algorithm>
#include <cassert>

#include "solvers/complementarity/cell.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool regular(const DenseLu& lu) { return lu.pivot_ratio() > 1e-13; }

template <class Solution, class Distance>
void keep_if_new(std::vector<Solution>& solutions, Solution solution, Distance distance) {
  for (Solution& known : solutions) {
    if (distance(known, solution) < 1e-7) {
      known.freedom = std::max(known.freedom, solution.freedom);
      return;
    }
  }
  solutions.push_back(std::move(solution));
}

double difference(const VectorXd& a, const VectorXd& b) {
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / (1 + a.cwiseAbs().maxCoeff());
}

}  // namespace

std::optional<MixedSolution> solve_mlcp(const MixedProblem& problem) {
  const DenseLu A(problem.A);
  if (!regular(A)) return std::nullopt;
  const MatrixXd M = problem.D - problem.C * A.solve(problem.B);
  const VectorXd q = problem.c - problem.C * A.solve(problem.a);
  const LemkeAnswer answer = solve_lemke(M, q);
  if (answer.end != LemkeEnd::solved) return std::nullopt;
  return MixedSolution{A.solve(-problem.a - problem.B * answer.z), answer.z, 0};
}

std::vector<MixedSolution> enumerate_mlcp(const MixedProblem& problem) {
  const Index m = problem.a.size(), n = problem.c.size();
  assert(n <= 20 && "2ⁿ systems are solved");
  std::vector<MixedSolution> solutions;
  for (unsigned long support = 0; support < (1UL << n); ++support) {
    std::vector<Index> on, off;
    for (Index i = 0; i < n; ++i) ((support >> i & 1UL) != 0 ? on : off).push_back(i);
    const auto k = static_cast<Index>(on.size());
    Cell cell{MatrixXd(m + k, m + k), MatrixXd::Zero(n, m + k), VectorXd(m + k), VectorXd(n), {}};
    cell.A.topLeftCorner(m, m) = problem.A;
    cell.A.topRightCorner(m, k) = problem.B(Eigen::all, on);
    cell.A.bottomLeftCorner(k, m) = problem.C(on, Eigen::all);
    cell.A.bottomRightCorner(k, k) = problem.D(on, on);
    cell.b << problem.a, problem.c(on);
    cell.C.topRightCorner(k, k).setIdentity();
    cell.C.bottomLeftCorner(n - k, m) = problem.C(off, Eigen::all);
    cell.C.bottomRightCorner(n - k, k) = problem.D(off, on);
    cell.d.head(k).setZero();
    cell.d.tail(n - k) = problem.c(off);
    const std::optional<CellPoints> points = find_points(cell);
    if (!points) continue;
    MixedSolution solution{points->x.head(m), VectorXd::Zero(n), points->freedom};
    solution.y(on) = points->x.tail(k).cwiseMax(0.0);
    keep_if_new(solutions, std::move(solution), [](const MixedSolution& s, const MixedSolution& t) {
      return std::max(difference(s.x, t.x), difference(s.y, t.y));
    });
  }
  return solutions;
}

std::optional<MatrixXd> hlcp_matrix(const HorizontalProblem& problem) {
  const DenseLu P(problem.P);
  if (!regular(P)) return std::nullopt;
  return P.solve(problem.N);
}

std::optional<HorizontalSolution> solve_hlcp(const HorizontalProblem& problem) {
  const DenseLu P(problem.P);
  if (!regular(P)) return std::nullopt;
  const LemkeAnswer answer = solve_lemke(P.solve(problem.N), P.solve(-problem.r));
  if (answer.end != LemkeEnd::solved) return std::nullopt;
  return HorizontalSolution{answer.w.cwiseMax(0.0), answer.z, 0};
}

std::vector<HorizontalSolution> enumerate_hlcp(const HorizontalProblem& problem) {
  const Index n = problem.r.size();
  assert(n <= 20 && "2ⁿ systems are solved");
  std::vector<HorizontalSolution> solutions;
  for (unsigned long signs = 0; signs < (1UL << n); ++signs) {
    Cell cell{MatrixXd(n, n), MatrixXd::Identity(n, n), problem.r, VectorXd::Zero(n), {}};
    for (Index i = 0; i < n; ++i) {
      if ((signs >> i & 1UL) != 0) {
        cell.A.col(i) = problem.P.col(i);
      } else {
        cell.A.col(i) = -problem.N.col(i);
      }
    }
    const std::optional<CellPoints> points = find_points(cell);
    if (!points) continue;
    HorizontalSolution solution{VectorXd::Zero(n), VectorXd::Zero(n), points->freedom};
    for (Index i = 0; i < n; ++i) {
      ((signs >> i & 1UL) != 0 ? solution.plus : solution.minus)[i] = std::max(0.0, points->x[i]);
    }
    keep_if_new(solutions, std::move(solution),
                [](const HorizontalSolution& s, const HorizontalSolution& t) {
                  return std::max(difference(s.plus, t.plus), difference(s.minus, t.minus));
                });
  }
  return solutions;
}

}  // namespace talus
