// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/restitution_matrix.hpp"

#include <algorithm>
#include <deque>

#include "solvers/impact/impact_contacts.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

// How many bodies lie between two contacts; −1 if no chain of moving bodies joins them.
template <int D>
std::vector<int> distances_from(const ImpactProblem<D>& impact, std::size_t start) {
  std::vector<LinearRow<D>> rows;
  for (std::size_t i = 0; i < impact.size(); ++i) rows.push_back(normal_row<D>(impact, i));
  const auto share = [&](const LinearRow<D>& x, const LinearRow<D>& y) {
    const auto moves = [&](int body) { return impact.bodies[at(body)].inverse_mass > 0; };
    return ((x.a == y.a || x.a == y.b) && moves(x.a)) || ((x.b == y.a || x.b == y.b) && moves(x.b));
  };
  std::vector<int> distance(impact.size(), -1);
  std::deque<std::size_t> next = {start};
  distance[start] = 0;
  while (!next.empty()) {
    const std::size_t i = next.front();
    next.pop_front();
    for (std::size_t j = 0; j < impact.size(); ++j) {
      if (distance[j] >= 0 || !share(rows[i], rows[j])) continue;
      distance[j] = distance[i] + 1;
      next.push_back(j);
    }
  }
  return distance;
}

// (1) by the letter: [N; T] (w⁺ − w⁻) = −(I + E) v⁻ for the percussions, as (54) of B12.
template <int D>
ImpactAnswer<D> by_the_letter(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const QuasiVelocities quasi = quasi_velocities<D>(impact);
  const Eigen::Index p = quasi.N.rows(), t = quasi.T.rows();
  const Eigen::VectorXd normal = quasi.normal(), tangential = quasi.tangential();
  const auto fits = [](const Eigen::MatrixXd& E, Eigen::Index rows, Eigen::Index columns) {
    return E.size() == 0 || (E.rows() == rows && E.cols() == columns);
  };
  ImpactAnswer<D> answer{std::vector<Vec<D>>(impact.size(), Vec<D>::Zero()), false};
  if (!fits(law.E_nt, p, t) || !fits(law.E_tn, t, p) || !fits(law.E_tt, t, t)) return answer;

  Eigen::VectorXd jump(p + t);
  jump.head(p) = -normal - law.E_nn * normal;
  jump.tail(t).setZero();
  if (law.E_nt.size() > 0) jump.head(p) -= law.E_nt * tangential;
  if (law.E_tn.size() > 0) jump.tail(t) -= law.E_tn * normal;
  if (law.E_tt.size() > 0) jump.tail(t) -= tangential + law.E_tt * tangential;

  Eigen::MatrixXd response(p + t, quasi.H_N.cols() + quasi.H_T.cols());
  response << quasi.N * quasi.H_N, quasi.N * quasi.H_T, quasi.T * quasi.H_N, quasi.T * quasi.H_T;
  const Eigen::VectorXd percussions = LeastSquares(response, 1e-11).solve(jump);
  answer.solved = (response * percussions - jump).norm() <= 1e-9 * quasi.w.norm();
  for (Eigen::Index i = 0; i < p; ++i) {
    Vec<D>& P = answer.percussions[static_cast<std::size_t>(i)];
    P[0] = percussions[i];
    P.template tail<D - 1>() = percussions.segment<D - 1>(p + i * (D - 1));
  }
  return answer;
}

}  // namespace

template <int D>
Eigen::MatrixXd normal_restitution(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const auto n = static_cast<Eigen::Index>(impact.size());
  if (law.E_nn.rows() == n && n > 0) return law.E_nn;
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<int> distance = distances_from<D>(impact, static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < n; ++j) {
      const int d = distance[static_cast<std::size_t>(j)];
      if (d > 0 && d <= static_cast<int>(law.neighbours.size()))
        E(i, j) = law.neighbours[at(d - 1)];
    }
    E(i, i) = impact.coefficients[static_cast<std::size_t>(i)].restitution;
  }
  return E;
}

Eigen::MatrixXd fremond_matrix(const Eigen::MatrixXd& E_nn, const Eigen::VectorXd& norms) {
  return norms.asDiagonal() * E_nn * norms.cwiseInverse().asDiagonal();
}

template <int D>
std::vector<Vec<D>> restituted_velocities(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const auto n = static_cast<Eigen::Index>(impact.size());
  std::vector<Vec<D>> b = contact_velocities<D>(impact, impact.v_minus);
  const DelassusOperator<D> W = impact_delassus<D>(impact);
  Eigen::VectorXd u_N(n), norms(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    u_N[i] = b[k][0];
    for (std::size_t at_block = W.row_start[k]; at_block < W.row_start[k + 1]; ++at_block)
      if (at(W.column[at_block]) == k) norms[i] = std::sqrt(W.block[at_block](0, 0));
  }
  const Eigen::MatrixXd E = fremond_matrix(normal_restitution<D>(impact, law), norms);
  const Eigen::VectorXd closing = u_N.cwiseMin(0.0);
  const Eigen::VectorXd shift =
      E * closing + Eigen::VectorXd(E.diagonal().cwiseProduct(u_N - closing));
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    b[k][0] += shift[i];
    const double tau = impact.coefficients[k].tangential_restitution;
    b[k].template tail<D - 1>() *= 1 + tau;
  }
  return b;
}

template <int D>
ImpactAnswer<D> matrix_impact(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const auto n = static_cast<Eigen::Index>(impact.size());
  if (law.has_tangential() && law.E_nn.rows() == n) return by_the_letter<D>(impact, law);
  return impact_percussions<D>(impact, restituted_velocities<D>(impact, law),
                               std::vector<double>(impact.size(), 0.0));
}

#define TALUS_INSTANTIATE(D)                                                            \
  template std::vector<Vec<D>> restituted_velocities<D>(const ImpactProblem<D>&,        \
                                                        const MatrixLaw&);              \
  template ImpactAnswer<D> matrix_impact<D>(const ImpactProblem<D>&, const MatrixLaw&); \
  template Eigen::MatrixXd normal_restitution<D>(const ImpactProblem<D>&, const MatrixLaw&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
