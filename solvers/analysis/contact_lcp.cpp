// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/contact_lcp.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index ways = 2;           // of friction in the plane
constexpr double solved_to = 1e-7;  // complementarity, in units of the accelerations there are

bool may_stick(const ConstraintSet& u, Index i) {
  return u.friction[i] > 0 && u.slip.col(i).squaredNorm() == 0;
}

}  // namespace

Index lemke_unknowns(const ContactSystem& system) {
  const ConstraintSet& u = system.unilateral;
  Index unknowns = u.size();
  for (Index i = 0; i < u.size(); ++i)
    if (may_stick(u, i)) unknowns += ways + 1;
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
  const Index m = u.size();
  std::vector<Index> resting;
  for (Index i = 0; i < m; ++i)
    if (may_stick(u, i)) resting.push_back(i);
  const auto s = static_cast<Index>(resting.size());
  if (s > 0 && tangents > 1) return std::nullopt;

  // Generalised forces of a unit of λ_n and β, and the gradients whose rates oppose them, as rows.
  const MatrixXd N(u.normal), T(u.tangent);
  MatrixXd force(m + s * ways, N.cols()), gradient(force.rows(), N.cols());
  VectorXd w(force.rows());
  gradient.topRows(m) = N;
  w.head(m) = u.w_normal;
  for (Index i = 0; i < m; ++i) {
    force.row(i) = N.row(i);
    for (int k = 0; k < tangents; ++k)
      force.row(i) -= u.friction[i] * u.slip(k, i) * T.row(i * tangents + k);
  }
  for (Index r = 0; r < s; ++r) {
    const Index t = resting[static_cast<std::size_t>(r)];
    gradient.row(m + r * ways) = T.row(t);
    gradient.row(m + r * ways + 1) = -T.row(t);
    w[m + r * ways] = u.w_tangent[t];
    w[m + r * ways + 1] = -u.w_tangent[t];
  }
  force.bottomRows(s * ways) = gradient.bottomRows(s * ways);

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
    const Index i = resting[static_cast<std::size_t>(r)], beta = m + r * ways;
    M.block(beta, g + r, ways, 1).setOnes();
    M(g + r, i) = u.friction[i];
    M.block(g + r, beta, 1, ways).setConstant(-1);
  }

  const LemkeAnswer answer = solve_lemke(M, q);
  modes.end = answer.end;
  if (answer.end != LemkeEnd::solved) return modes;
  if (lcp_residual(M, q, answer.z) > solved_to) {
    modes.end = LemkeEnd::pivot_limit;
    return modes;
  }
  const VectorXd rate = M * answer.z + q;
  FoundMotion& found = modes.motion;
  const double unit = fastest / heaviest;  // of a force
  found.normal_u = unit * answer.z.head(m);
  found.tangent_u = VectorXd::Zero(m * tangents);
  for (Index i = 0; i < m; ++i) {
    const bool opens = answer.z[i] <= solved_to && rate[i] > solved_to;
    found.unilateral.push_back(opens ? ContactMode::detach : ContactMode::slide);
    found.tangent_u.segment(i * tangents, tangents) =
        -u.friction[i] * found.normal_u[i] * u.slip.col(i);
  }
  for (Index r = 0; r < s; ++r) {
    const Index i = resting[static_cast<std::size_t>(r)], beta = m + r * ways;
    found.tangent_u[i] = unit * (answer.z[beta] - answer.z[beta + 1]);
    ContactMode& mode = found.unilateral[static_cast<std::size_t>(i)];
    if (mode == ContactMode::detach) continue;
    const double slip = M.row(beta).head(g) * answer.z.head(g) + q[beta];
    if (std::abs(slip) <= solved_to)
      mode = ContactMode::stick;
    else
      mode = slip > 0 ? ContactMode::slip_plus : ContactMode::slip_minus;
  }
  found.acceleration = held + unit * (force.transpose() * answer.z.head(g));
  return modes;
}

}  // namespace talus
