// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/constrained_motion.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/complementarity/cell.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_threshold = 1e-11;
constexpr double compatible_to = 1e-6;  // of c: curvatures are known to 1e-8
constexpr double balanced_to = 1e-6;    // so that rounding to 1e-12 of the load counts as none

// In a balance c and z are rounding of the accelerations that the load alone gives.
bool holds(const ConstrainedSystem& system, const VectorXd& z) {
  if (system.c.size() == 0) return true;
  const double heaviest = system.M.cwiseAbs().maxCoeff();
  const double of_load = heaviest > 0 ? system.Q.cwiseAbs().maxCoeff() / heaviest : 0;
  const double size =
      std::max(system.c.cwiseAbs().maxCoeff(),
               system.A.rowwise().norm().maxCoeff() * std::max(z.norm(), balanced_to * of_load));
  return (system.A * z + system.c).cwiseAbs().maxCoeff() <= compatible_to * size;
}

// Aᵀλ = M q̈ − Q by the shortest λ.
VectorXd shortest_multipliers(const ConstrainedSystem& system, const VectorXd& acceleration) {
  if (system.A.rows() == 0) return VectorXd(0);
  const VectorXd force = system.M * acceleration - system.Q;
  return LeastSquares(system.A.transpose(), rank_threshold).solve(force);
}

// L with L Lᵀ = M > 0.
MatrixXd root(const MatrixXd& M) {
  MatrixXd L = MatrixXd::Zero(M.rows(), M.rows());
  for (Index j = 0; j < M.rows(); ++j) {
    L(j, j) = std::sqrt(M(j, j) - L.row(j).head(j).squaredNorm());
    for (Index i = j + 1; i < M.rows(); ++i)
      L(i, j) = (M(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / L(j, j);
  }
  return L;
}

}  // namespace

bool determines_motion(const ConstrainedSystem& system) {
  const Index n = system.M.rows();
  MatrixXd both(n + system.A.rows(), n);
  both << system.M / std::max(system.M.cwiseAbs().maxCoeff(), 1e-300), system.A;
  return LeastSquares(both, rank_threshold).rank() == n;
}

std::optional<ConstrainedMotion> by_kkt(const ConstrainedSystem& system) {
  const Index n = system.M.rows(), m = system.A.rows();
  // Multipliers in units that make M and A alike.
  const double heaviest = system.M.cwiseAbs().maxCoeff(), unit = heaviest > 0 ? heaviest : 1;
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = system.M / unit;
  K.topRightCorner(n, m) = -system.A.transpose();
  K.bottomLeftCorner(m, n) = system.A;
  VectorXd right(n + m);
  right << system.Q / unit, -system.c;
  const VectorXd both = LeastSquares(K, rank_threshold).solve(right);
  ConstrainedMotion motion{both.head(n), unit * both.tail(m)};
  if (!holds(system, motion.acceleration)) return std::nullopt;
  return motion;
}

std::optional<ConstrainedMotion> by_gauss(const ConstrainedSystem& system) {
  VectorXd z = VectorXd::Zero(system.M.rows());
  MatrixXd Z = MatrixXd::Identity(z.size(), z.size());
  if (system.A.rows() > 0) {
    const LeastSquares constraints(system.A, rank_threshold);
    z = constraints.solve(-system.c);
    Z = constraints.null_space();
  }
  if (!holds(system, z)) return std::nullopt;
  if (Z.cols() > 0) {
    const VectorXd slope = Z.transpose() * (system.Q - system.M * z);
    z += Z * VectorXd(LeastSquares(Z.transpose() * system.M * Z, rank_threshold).solve(slope));
  }
  return ConstrainedMotion{z, shortest_multipliers(system, z)};
}

ConstrainedMotion by_projection(const ConstrainedSystem& system) {
  if (system.A.rows() == 0) return {DenseLu(system.M).solve(system.Q), VectorXd(0)};
  const ObliqueProjection projection(system.M, system.A);
  const VectorXd across = -projection.A_pinv * system.c;
  const VectorXd free = DenseLu(system.M).solve(system.Q);
  const VectorXd force = projection.S.transpose() * (system.M * across - system.Q);
  return {free - projection.S * (free - across), projection.A_pinv.transpose() * force};
}

std::optional<VectorXd> by_gauss(const ConstrainedSystem& system, const MatrixXd& B,
                                 const VectorXd& d) {
  // z = M⁻¹Q + L⁻ᵀy: the shortest y with A z + c = 0, B z + d ≥ 0.
  const MatrixXd L = root(system.M);
  const DenseLu upper(L.transpose());
  const VectorXd free = DenseLu(system.M).solve(system.Q);
  const MatrixXd step = upper.solve(MatrixXd::Identity(L.rows(), L.rows()));
  const Cell cell{system.A * step, B * step, system.A * free + system.c, B * free + d, {}};
  const std::optional<VectorXd> y = find_point(cell);
  if (!y) return std::nullopt;
  return VectorXd(free + step * *y);
}

}  // namespace talus
