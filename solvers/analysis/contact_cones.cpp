// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_cones.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/climb/ladder.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int block = 3;
constexpr SolveOptions exactly{.tolerance = 1e-11, .max_sweeps = 5000};
constexpr double accepted = 1e-8;  // of the error
constexpr double slip_speed =
    1e3;  // of contacts that slip, in units of the accelerations there are
constexpr double still = 1e-6, loose = 1e-7;  // accelerations and forces that count as none

// Rows n, t₁, t₂ of every contact, with what bilateral constraints leave of them, and the
// accelerations that these demand.
struct FreeRows {
  MatrixXd rows;
  VectorXd w, held;
};

FreeRows free_rows(const ContactSystem& system) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  FreeRows free{MatrixXd(block * u.size(), u.normal.cols()), VectorXd(block * u.size()),
                VectorXd::Zero(u.normal.cols())};
  const MatrixXd N(u.normal), T(u.tangent);
  for (Index i = 0; i < u.size(); ++i) {
    free.rows.row(block * i) = N.row(i);
    free.rows.middleRows(block * i + 1, 2) = T.middleRows(2 * i, 2);
    free.w[block * i] = u.w_normal[i];
    free.w.segment(block * i + 1, 2) = u.w_tangent.segment(2 * i, 2);
  }
  if (b.size() == 0) return free;
  const MatrixXd N_b(b.normal);
  const LeastSquares inverse(N_b * N_b.transpose(), 1e-11);
  free.held = -N_b.transpose() * inverse.solve(b.w_normal);
  free.w += free.rows * free.held;
  free.rows -= MatrixXd(free.rows * N_b.transpose()) * inverse.solve(N_b);
  return free;
}

// W p + b in blocks, in units in which the largest entry of W and of w are one.
ContactProblem<3> block_problem(const ContactSystem& system, const MatrixXd& W, const VectorXd& w) {
  ContactProblem<3> problem;
  DelassusOperator<3> delassus;
  const ConstraintSet& u = system.unilateral;
  for (Index i = 0; i < u.size(); ++i) {
    for (Index j = 0; j < u.size(); ++j) {
      const Mat<3> part = W.block<block, block>(block * i, block * j);
      if (i != j && part.cwiseAbs().maxCoeff() < 1e-14) continue;
      delassus.column.push_back(static_cast<int>(j));
      delassus.block.push_back(part);
    }
    delassus.row_start.push_back(delassus.block.size());
    Vec<3> b = w.segment<block>(block * i);
    b.tail<2>() += slip_speed * u.slip.col(i);
    problem.b.push_back(b);
    problem.law.push_back({u.friction[i]});
  }
  problem.W = std::move(delassus);
  return problem;
}

ContactMode mode_of(const Vec<3>& p, const Vec<3>& a, double mu, bool slips) {
  const double rate = a.tail<2>().norm();
  if (p[0] <= loose && a[0] > still) return ContactMode::detach;
  if (slips || !(mu > 0)) return ContactMode::slide;
  const bool at_limit = p.tail<2>().norm() >= (1 - loose) * mu * p[0];
  return at_limit && rate > still ? ContactMode::slip : ContactMode::stick;
}

}  // namespace

std::optional<ConeMotion> cone_motion(const ContactSystem& system, Index most_unknowns) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  if (system.tangents != 2 || u.size() == 0 || block * u.size() > most_unknowns)
    return std::nullopt;
  if (b.size() > 0 && b.friction.maxCoeff() > 0) return std::nullopt;
  const FreeRows free = free_rows(system);
  const MatrixXd W = free.rows * free.rows.transpose();
  const double heaviest = std::max(W.diagonal().maxCoeff(), 1e-300);
  const double fastest = std::max(free.w.cwiseAbs().maxCoeff(), 1e-300);
  const ContactProblem<3> problem = block_problem(system, W / heaviest, free.w / fastest);
  Percussions<3> p{std::vector<Vec<3>>(problem.size(), Vec<3>::Zero()), {}};
  LadderSolver<3>(Method::automatic, exactly).solve(problem, p);

  ConeMotion found;
  found.error = contact_error(problem, p).relative;
  found.converged = found.error <= accepted;
  const Velocities<3> a = velocities(problem, p);
  VectorXd force(block * u.size());
  found.motion.normal_u.resize(u.size());
  found.motion.tangent_u.resize(2 * u.size());
  for (Index i = 0; i < u.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool slips = u.slip.col(i).squaredNorm() > 0;
    found.motion.unilateral.push_back(mode_of(p.contact[k], a.contact[k], u.friction[i], slips));
    force.segment<block>(block * i) = fastest / heaviest * p.contact[k];
    found.motion.normal_u[i] = force[block * i];
    found.motion.tangent_u.segment(2 * i, 2) = force.segment<2>(block * i + 1);
  }
  found.motion.acceleration = free.held + free.rows.transpose() * force;
  return found;
}

}  // namespace talus
