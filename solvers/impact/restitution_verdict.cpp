// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/restitution_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "solvers/complementarity/lcp.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double dependent = 1e-10;  // least eigenvalue of G, which is of order one
constexpr double least_gain = 1e-9;  // that is shown, as a part of the energy
constexpr Index most_by_sets = 5;    // contacts, for 2ⁿ sets of those that push

MatrixXd inverse_of(const MatrixXd& A) {
  return LeastSquares(A, 1e-12).solve(MatrixXd::Identity(A.rows(), A.rows()));
}

double rounding_of(const MatrixXd& A) {
  return 1e-12 * (A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0);
}

bool is_diagonal(const MatrixXd& E) { return (E - MatrixXd(E.diagonal().asDiagonal())).isZero(0); }

// The arrival, if the law gains energy of it.
std::optional<ShownArrival> shown(const MatrixXd& G, const MatrixXd& E, const VectorXd& q) {
  if (!q.allFinite()) return std::nullopt;
  // Of normals that depend on each other not every q⁻ is a velocity: q⁻ ∈ Im G is.
  if ((q - G * (inverse_of(G) * q)).norm() > 1e-9 * q.norm()) return std::nullopt;
  const std::optional<double> gain = gain_of_arrival(G, E, q);
  if (!gain || !(*gain > least_gain)) return std::nullopt;
  return ShownArrival{q, *gain, 0};
}

// Extreme rays of {x : C x ≥ 0}, a pointed cone: each is where n − 1 of the rows vanish.
std::vector<VectorXd> rays(const MatrixXd& C) {
  const Index n = C.cols(), m = C.rows();
  std::vector<VectorXd> found;
  std::vector<Index> tight;
  const auto try_ray = [&] {
    VectorXd x = VectorXd::Ones(1);
    if (n > 1) {
      const LeastSquares rows(C(tight, Eigen::all), 1e-11);
      if (rows.rank() != n - 1) return;
      x = rows.null_space().col(0);
    }
    for (const double sign : {1.0, -1.0})
      if ((C * (sign * x)).minCoeff() >= -1e-11 * C.norm()) found.emplace_back(sign * x);
  };
  const std::function<void(Index)> choose = [&](Index from) {
    if (static_cast<Index>(tight.size()) == n - 1) return try_ray();
    for (Index i = from; i < m; ++i) {
      tight.push_back(i);
      choose(i + 1);
      tight.pop_back();
    }
  };
  choose(0);
  std::vector<VectorXd> distinct;
  for (const VectorXd& x : found)
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const VectorXd& y) { return (x - y).norm() < 1e-9; }))
      distinct.push_back(x);
  return distinct;
}

// Of a complementarity law with distance effects, arrivals x = −q⁻ ≥ 0, by the sets J of contacts
// that push. Those of J are a cone:
//     p̄_J = G_JJ⁻¹((I + E)x)_J ≥ 0,   G_iJ p̄_J ≥ ((I + E)x)_i at the others,
// on which the loss is ½ xᵀQ x with Q = S_JᵀG_JJ⁻¹S_J − (S_J E)ᵀG_JJ⁻¹S_J E; it is not negative
// where RᵀQ R is copositive, R the rays of the cone.
Verdict by_sets(const MatrixXd& G, const MatrixXd& E, std::optional<ShownArrival>& refuted_by) {
  const Index n = G.rows();
  if (n > most_by_sets) return Verdict::unknown;
  const MatrixXd I = MatrixXd::Identity(n, n), jump = I + E;
  Verdict verdict = Verdict::yes;
  for (unsigned long set = 1; set < (1UL << n); ++set) {
    std::vector<Index> on, off;
    for (Index i = 0; i < n; ++i) ((set >> i & 1UL) != 0 ? on : off).push_back(i);
    const MatrixXd inverse = inverse_of(G(on, on)), S = I(on, Eigen::all), E_J = S * E;
    const MatrixXd push = inverse * jump(on, Eigen::all);
    MatrixXd C(2 * n, n);
    C << I, push, G(off, on) * push - jump(off, Eigen::all);
    const std::vector<VectorXd> cone = rays(C);
    if (cone.empty()) continue;
    MatrixXd R(n, static_cast<Index>(cone.size()));
    for (Index k = 0; k < R.cols(); ++k) R.col(k) = cone[static_cast<std::size_t>(k)];
    const MatrixXd Q = S.transpose() * inverse * S - E_J.transpose() * inverse * E_J;
    const Copositivity c = copositivity(R.transpose() * Q * R);
    if (c.copositive(rounding_of(Q)) == Verdict::yes) continue;
    verdict = Verdict::unknown;
    refuted_by = shown(G, E, -(R * c.point).cwiseMax(0.0));
    if (refuted_by) return Verdict::no;
  }
  return verdict;
}

// Proposition 8, independent normals.
Verdict by_letter(const MatrixXd& G, const MatrixXd& E, std::optional<ShownArrival>& refuted_by) {
  const Index n = G.rows();
  const MatrixXd inverse = inverse_of(G), pushes = inverse * (MatrixXd::Identity(n, n) + E);
  if ((E.array() < 0).any()) return Verdict::no;
  Index i = 0, j = 0;
  const double least = pushes.minCoeff(&i, &j);
  if (least < -rounding_of(pushes)) {
    refuted_by = {-VectorXd::Unit(n, j), 0, -least / pushes.col(j).maxCoeff()};
    return Verdict::no;
  }
  const MatrixXd loss = inverse - E.transpose() * inverse * E;
  const Copositivity c = copositivity(loss);
  const Verdict loses = c.copositive(rounding_of(inverse));
  if (loses == Verdict::no) {
    const VectorXd& x = c.point;
    refuted_by = {-x, -x.dot(loss * x) / x.dot(inverse * x), 0};
  }
  return loses;
}

// (2)
Verdict where_contacts_open(const MatrixXd& G, const VectorXd& e,
                            std::optional<ShownArrival>& refuted_by) {
  if (e.maxCoeff() == e.minCoeff()) return Verdict::yes;
  // [B12, Proposition 6] holds for every set of contacts, whose G has its eigenvalues in between.
  const Definiteness of_G = definiteness(G);
  if (of_G.smallest > 0 && e.maxCoeff() <= std::sqrt(of_G.smallest / of_G.largest))
    return Verdict::yes;
  const VectorXd lambda = (1 - e.array()) / (1 + e.array());
  const MatrixXd loss = lambda.asDiagonal() * G;
  const Copositivity c = copositivity(loss);
  if (c.copositive(rounding_of(G)) == Verdict::yes) return Verdict::yes;
  refuted_by = shown(G, e.asDiagonal(), -((G * c.point).array() / (1 + e.array())).matrix());
  return refuted_by ? Verdict::no : Verdict::unknown;
}

}  // namespace

std::optional<double> gain_of_arrival(const MatrixXd& G, const MatrixXd& E_nn,
                                      const VectorXd& q_minus) {
  const VectorXd closing = q_minus.cwiseMin(0.0);
  const VectorXd shift = E_nn * closing + VectorXd(E_nn.diagonal().cwiseProduct(q_minus - closing));
  const LemkeAnswer answer = solve_lemke(G, q_minus + shift);
  if (answer.end != LemkeEnd::solved) return std::nullopt;
  const VectorXd q_plus = q_minus + G * answer.z;
  return answer.z.dot(q_plus + q_minus) / q_minus.dot(VectorXd(inverse_of(G) * q_minus));
}

RestitutionVerdict restitution_verdict(const MatrixXd& G, const MatrixXd& E_nn,
                                       RestitutionRule rule) {
  RestitutionVerdict verdict;
  const bool independent = definiteness(G).smallest > dependent;
  if (rule == RestitutionRule::letter) {
    if (independent) verdict.closing = by_letter(G, E_nn, verdict.refuted_by);
    return verdict;
  }
  const VectorXd e = E_nn.diagonal();
  if (is_diagonal(E_nn) && e.minCoeff() >= 0 && e.maxCoeff() <= 1) {
    verdict.closing = Verdict::yes;
    verdict.opening = where_contacts_open(G, e, verdict.refuted_by);
    return verdict;
  }
  if (!independent || (E_nn.array() < 0).any()) return verdict;
  const MatrixXd pushes = inverse_of(G) * (MatrixXd::Identity(G.rows(), G.rows()) + E_nn);
  verdict.closing = pushes.minCoeff() >= -rounding_of(pushes)
                        ? by_letter(G, E_nn, verdict.refuted_by)
                        : by_sets(G, E_nn, verdict.refuted_by);
  if (verdict.closing == Verdict::no) verdict.opening = Verdict::no;
  return verdict;
}

Verdict full_restitution_verdict(const MatrixXd& D, const MatrixXd& E, Index contacts,
                                 bool always_answered) {
  const Index t = D.rows() - contacts;
  if (!always_answered) return Verdict::unknown;
  if ((E.topLeftCorner(contacts, contacts).array() < 0).any() ||
      !E.topRightCorner(contacts, t).isZero(0))
    return Verdict::no;  // some q⁻ ≤ 0, or q̇_tan⁻ large enough, leaves with q⁺ < 0
  const MatrixXd loss = D - E.transpose() * D * E;
  const MatrixXd nn = loss.topLeftCorner(contacts, contacts), tt = loss.bottomRightCorner(t, t),
                 tn = loss.bottomLeftCorner(t, contacts);
  const double rounding = 1e-10 * D.cwiseAbs().maxCoeff();
  if (t > 0 && definiteness(tt).smallest < -rounding) return Verdict::no;
  // The least over q̇_tan⁻, which is none where the form is linear along some of it.
  const LeastSquares least(tt, 1e-10);
  const MatrixXd tangential = t > 0 ? MatrixXd(least.solve(tn)) : MatrixXd::Zero(t, contacts);
  if ((tt * tangential - tn).norm() > rounding) return Verdict::no;
  const Copositivity c = copositivity(nn - tn.transpose() * tangential);
  return c.copositive(rounding) == Verdict::no ? Verdict::no : Verdict::unknown;
}

template <int D>
bool has_one_restitution(const ImpactProblem<D>& impact) {
  const double rho = impact.coefficients.empty() ? 0 : impact.coefficients.front().restitution;
  return std::all_of(
      impact.coefficients.begin(), impact.coefficients.end(), [&](const ImpactCoefficients& c) {
        return c.restitution == rho && (c.friction == 0 || c.tangential_restitution == rho);
      });
}

template bool has_one_restitution<2>(const ImpactProblem<2>&);
template bool has_one_restitution<3>(const ImpactProblem<3>&);

}  // namespace talus
