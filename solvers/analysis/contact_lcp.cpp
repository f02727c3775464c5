// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int polygon_in_space = 8;
constexpr double solved_to = 1e-7;  // complementarity, in units of the accelerations there are

// Unit vectors of the friction polygon, a column each.
MatrixXd polygon(int tangents) {
  if (tangents == 1) return Eigen::RowVector2d(1, -1);
  MatrixXd D(2, polygon_in_space);
  for (int k = 0; k < polygon_in_space; ++k) {
    const double angle = 2 * std::numbers::pi * k / polygon_in_space;
    D.col(k) << std::cos(angle), std::sin(angle);
  }
  return D;
}

bool may_stick(const ConstraintSet& u, Index i) {
  return u.friction[i] > 0 && u.slip.col(i).squaredNorm() == 0;
}

}  // namespace

Index lemke_unknowns(const ContactSystem& system) {
  const ConstraintSet& u = system.unilateral;
  Index unknowns = u.size();
  for (Index i = 0; i < u.size(); ++i)
    if (may_stick(u, i)) unknowns += polygon(system.tangents).cols() + 1;
  return unknowns;
}

std::optional<LemkeModes> lemke_modes(const ContactSystem& system, Index most_variables) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  if (b.size() > 0 && b.friction.maxCoeff() > 0) return std::nullopt;
  LemkeModes modes;
  if (u.size() == 0) {
    modes.end = LemkeEnd::solved;
    return modes;
  }
  const Index n = lemke_unknowns(system);  // λ_n, β, γ
  if (n > most_variables) return std::nullopt;
  const int tangents = system.tangents;
  const MatrixXd D = polygon(tangents);
  const Index m = u.size(), facets = D.cols();
  std::vector<Index> resting;
  for (Index i = 0; i < m; ++i)
    if (may_stick(u, i)) resting.push_back(i);
  const auto s = static_cast<Index>(resting.size());

  // Generalised forces of a unit of λ_n and β, and the gradients whose rates oppose them, as rows.
  const MatrixXd N(u.normal), T(u.tangent);
  MatrixXd force(m + s * facets, N.cols()), gradient(force.rows(), N.cols());
  VectorXd w(force.rows());
  gradient.topRows(m) = N;
  w.head(m) = u.w_normal;
  for (Index i = 0; i < m; ++i) {
    force.row(i) = N.row(i);
    for (int k = 0; k < tangents; ++k)
      force.row(i) -= u.friction[i] * u.slip(k, i) * T.row(i * tangents + k);
  }
  for (Index r = 0; r < s; ++r) {
    const Index t = resting[static_cast<std::size_t>(r)] * tangents;
    gradient.middleRows(m + r * facets, facets) = D.transpose() * T.middleRows(t, tangents);
    w.segment(m + r * facets, facets) = D.transpose() * u.w_tangent.segment(t, tangents);
  }
  force.bottomRows(s * facets) = gradient.bottomRows(s * facets);

  // Bilateral constraints hold: accelerations along them are taken out.
  VectorXd held = VectorXd::Zero(N.cols());
  if (b.size() > 0) {
    const MatrixXd N_b(b.normal);
    const LeastSquares inverse(N_b * N_b.transpose(), 1e-11);
    held = -N_b.transpose() * inverse.solve(b.w_normal);
    w += gradient * held;
    const MatrixXd onto = inverse.solve(N_b);
    for (MatrixXd* const rows : {&gradient, &force})
      *rows -= MatrixXd(*rows * N_b.transpose()) * onto;
  }

  const Index g = force.rows();
  MatrixXd M = MatrixXd::Zero(n, n);
  VectorXd q = VectorXd::Zero(n);
  M.topLeftCorner(g, g) = gradient * force.transpose();
  const double heaviest = std::max(M.cwiseAbs().maxCoeff(), 1e-300);
  const double fastest = std::max(w.cwiseAbs().maxCoeff(), 1e-300);
  M /= heaviest;
  q.head(g) = w / fastest;
  for (Index r = 0; r < s; ++r) {
    const Index i = resting[static_cast<std::size_t>(r)], beta = m + r * facets;
    M.block(beta, g + r, facets, 1).setOnes();
    M(g + r, i) = u.friction[i];
    M.block(g + r, beta, 1, facets).setConstant(-1);
  }

  const LemkeAnswer answer = solve_lemke(M, q);
  modes.end = answer.end;
  if (answer.end != LemkeEnd::solved) return modes;
  if (lcp_residual(M, q, answer.z) > solved_to) {
    modes.end = LemkeEnd::pivot_limit;
    return modes;
  }
  modes.normal_u = fastest / heaviest * answer.z.head(m);
  for (Index i = 0; i < m; ++i) {
    const bool closed = answer.z[i] > solved_to;
    modes.unilateral.push_back(closed ? ContactMode::slide : ContactMode::detach);
  }
  for (Index r = 0; r < s; ++r) {
    ContactMode& mode =
        modes.unilateral[static_cast<std::size_t>(resting[static_cast<std::size_t>(r)])];
    if (mode == ContactMode::detach) continue;
    if (answer.z[g + r] <= solved_to) {
      mode = ContactMode::stick;
    } else if (tangents > 1) {
      mode = ContactMode::slip;
    } else {  // against the friction
      const bool pushed_back = answer.z[m + r * facets] < answer.z[m + r * facets + 1];
      mode = pushed_back ? ContactMode::slip_plus : ContactMode::slip_minus;
    }
  }
  modes.acceleration = held + fastest / heaviest * (force.transpose() * answer.z.head(g));
  return modes;
}

}  // namespace talus
