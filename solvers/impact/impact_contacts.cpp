// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/complementarity/lcp.hpp"

namespace talus {

namespace {

constexpr int max_sweeps = 200'000;

// The normal problem without friction: an LCP in P_N − floor.
template <int D>
std::optional<std::vector<Vec<D>>> without_friction(const DelassusOperator<D>& W,
                                                    std::span<const Vec<D>> b,
                                                    std::span<const double> floor) {
  const auto n = static_cast<Eigen::Index>(b.size());
  Eigen::MatrixXd W_N = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b_N(n), least(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::size_t k = W.row_start[row]; k < W.row_start[row + 1]; ++k)
      W_N(i, W.column[k]) = W.block[k](0, 0);
    b_N[i] = b[row][0];
    least[i] = floor[row];
  }
  const LemkeAnswer answer = solve_lemke(W_N, b_N + W_N * least);
  if (answer.end != LemkeEnd::solved) return {};
  std::vector<Vec<D>> p(b.size(), Vec<D>::Zero());
  for (Eigen::Index i = 0; i < n; ++i) p[static_cast<std::size_t>(i)][0] = answer.z[i] + least[i];
  return p;
}

// (1) at one contact.
template <int D>
Vec<D> at_one_contact(const Mat<D>& W, const Vec<D>& q, double mu, double floor) {
  const Vec<D> free = Coulomb<D>{mu}.solve(W, q);
  if (free[0] >= floor) return free;
  Vec<D> p;
  p[0] = floor;
  p.template tail<D - 1>() = friction_on_disk<D>(
      W.template block<D - 1, D - 1>(1, 1),
      q.template tail<D - 1>() + floor * W.col(0).template tail<D - 1>(), mu * floor);
  return p;
}

}  // namespace

template <int D>
Vec<D - 1> friction_on_disk(const Matrix<D - 1, D - 1>& W, const Vec<D - 1>& a, double r) {
  // p(λ) = −(W + λ)⁻¹ a, with the least λ ≥ 0 that brings it onto the disk.
  const auto at_multiplier = [&](double lambda) -> Vec<D - 1> {
    if constexpr (D == 2) {
      return -a / (W(0, 0) + lambda);
    } else {
      const double w11 = W(0, 0) + lambda, w22 = W(1, 1) + lambda, w12 = W(0, 1);
      const double determinant = w11 * w22 - w12 * w12;
      return {-(w22 * a[0] - w12 * a[1]) / determinant, -(w11 * a[1] - w12 * a[0]) / determinant};
    }
  };
  Vec<D - 1> p = at_multiplier(0);
  if (p.norm() <= r) return p;
  if (r == 0) return Vec<D - 1>::Zero();
  double low = 0, high = a.norm() / r;
  for (int k = 0; k < 100 && high - low > 1e-16 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (at_multiplier(middle).norm() > r ? low : high) = middle;
  }
  p = at_multiplier(high);
  return p * (r / p.norm());
}

template <int D>
ImpactAnswer<D> impact_percussions(const ImpactProblem<D>& impact, std::span<const Vec<D>> b,
                                   std::span<const double> floor) {
  const DelassusOperator<D> W = impact_delassus<D>(impact);
  const auto frictionless = [](const ImpactCoefficients& c) { return c.friction == 0; };
  if (std::all_of(impact.coefficients.begin(), impact.coefficients.end(), frictionless)) {
    if (auto p = without_friction<D>(W, b, floor)) return {std::move(*p), true};
  }
  ImpactAnswer<D> answer{std::vector<Vec<D>>(impact.size(), Vec<D>::Zero()), false};
  std::vector<Vec<D>>& p = answer.percussions;
  double speed = 0;
  for (const Vec<D>& b_i : b) speed = std::max(speed, b_i.norm());
  for (int sweep = 0; sweep < max_sweeps && !answer.solved; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < impact.size(); ++i) {
      Vec<D> others = b[i];  // û of the contact without its own percussion
      const Mat<D>* W_ii = nullptr;
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
        if (at(W.column[k]) == i)
          W_ii = &W.block[k];
        else
          others += W.block[k] * p[at(W.column[k])];
      }
      const Vec<D> next =
          at_one_contact<D>(*W_ii, others, impact.coefficients[i].friction, floor[i]);
      change = std::max(change, (*W_ii)(0, 0) * (next - p[i]).norm());
      p[i] = next;
    }
    answer.solved = change <= 1e-14 * speed;  // below it, roundings may take turns for ever
  }
  return answer;
}

template Vec<1> friction_on_disk<2>(const Matrix<1, 1>&, const Vec<1>&, double);
template Vec<2> friction_on_disk<3>(const Matrix<2, 2>&, const Vec<2>&, double);
template ImpactAnswer<2> impact_percussions<2>(const ImpactProblem<2>&, std::span<const Vec<2>>,
                                               std::span<const double>);
template ImpactAnswer<3> impact_percussions<3>(const ImpactProblem<3>&, std::span<const Vec<3>>,
                                               std::span<const double>);

}  // namespace talus
