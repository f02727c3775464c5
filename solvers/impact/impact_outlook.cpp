// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_outlook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

constexpr double indistinct = 1e-10;  // from zero, of eigenvalues of G of order one
constexpr double most_ways = 4096;    // corners that are tried for Theorem 2
constexpr double most_work = 1e9;     // these times the cube of the contacts: some seconds

// Directions of friction whose convex hull holds the disk |ξ| ≤ 1: ±1 in the plane; in space the
// corners of a regular polygon about it.
template <int D>
std::vector<Vec<D - 1>> corners(int sides) {
  if constexpr (D == 2) {
    return {Vec<1>(1), Vec<1>(-1)};
  } else {
    std::vector<Vec<2>> points;
    const double step = 2 * std::numbers::pi / sides, radius = 1 / std::cos(0.5 * step);
    for (int k = 0; k < sides; ++k)
      points.push_back(radius * Vec<2>(std::cos(k * step), std::sin(k * step)));
    return points;
  }
}

// Theorem 2 for one arrival and all ways to slide or stick.
template <int D>
class TheoremTwo {
 public:
  TheoremTwo(const ImpactProblem<D>& impact, const QuasiVelocities& quasi,
             const Eigen::MatrixXd& E_nn) {
    for (Eigen::Index i = 0; i < quasi.norms.size(); ++i) {
      const double mu = impact.coefficients[static_cast<std::size_t>(i)].friction;
      mu_bar_.push_back(mu / quasi.norms[i]);
      if (mu > 0) rough_.push_back(i);
    }
    all_ = {quasi.G(), quasi.N * quasi.H_T, quasi.T * quasi.H_T, {}, {}, E_nn, quasi.normal()};
    all_.D_t = Eigen::MatrixXd::Identity(quasi.T.rows(), quasi.T.rows());
    all_.mu_bar.resize(quasi.H_T.cols());
    for (Eigen::Index k = 0; k < all_.mu_bar.size(); ++k) all_.mu_bar[k] = mu_bar_[at(k / (D - 1))];
  }

  SlidingOutlook worst() const {
    SlidingOutlook outlook{{}, rough_.size(), true};
    const double contacts = static_cast<double>(rough_.size());
    for (const int sides : D == 2 ? std::vector<int>{2} : std::vector<int>{8, 4}) {
      const double ways = std::pow(sides, contacts);
      if (ways > most_ways || ways * std::pow(all_.G.rows(), 3) > most_work) continue;
      outlook.conditions = worst_of_ways(corners<D>(sides));
      return outlook;
    }
    outlook.way_by_way = false;
    outlook.conditions = sliding_bounds(all_);
    return outlook;
  }

 private:
  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

  SlidingConditions worst_of_ways(const std::vector<Vec<D - 1>>& directions) const {
    SlidingImpact one = all_;
    const Eigen::Index n = all_.G.rows();
    one.mu_bar = Eigen::Map<const Eigen::VectorXd>(mu_bar_.data(), n);
    one.n_H = Eigen::MatrixXd::Zero(n, n);
    one.t_H = Eigen::MatrixXd::Zero(all_.t_H.rows(), n);
    std::vector<std::size_t> way(rough_.size(), 0);
    std::optional<SlidingConditions> worst;
    while (true) {
      for (std::size_t k = 0; k < rough_.size(); ++k) {
        const Eigen::Index i = rough_[k], first = i * (D - 1);
        one.n_H.col(i) = all_.n_H.template middleCols<D - 1>(first) * directions[way[k]];
        one.t_H.col(i) = all_.t_H.template middleCols<D - 1>(first) * directions[way[k]];
      }
      const SlidingConditions c = sliding_conditions(one);
      if (!worst) worst = c;
      worst->lemma_1 = worst->lemma_1 && c.lemma_1;
      worst->pushes = worst->pushes && c.pushes;
      worst->largest_K = std::max(worst->largest_K, c.largest_K);
      worst->coupling_small = worst->coupling_small && c.coupling_small;
      worst->normal_ratio = std::max(worst->normal_ratio, c.normal_ratio);
      std::size_t next = 0;  // the next way, counted up
      while (next < way.size() && ++way[next] == directions.size()) way[next++] = 0;
      if (next == way.size()) return *worst;
    }
  }

  std::vector<double> mu_bar_;       // one per contact
  std::vector<Eigen::Index> rough_;  // contacts
  SlidingImpact all_;                // D − 1 columns a contact
};

// [N; T] [H_N H_T] has full row rank: percussions for every jump exist [B12, (55)].
bool answers_every_jump(const QuasiVelocities& quasi) {
  Eigen::MatrixXd response(quasi.N.rows() + quasi.T.rows(), quasi.H_N.cols() + quasi.H_T.cols());
  response << quasi.N * quasi.H_N, quasi.N * quasi.H_T, quasi.T * quasi.H_N, quasi.T * quasi.H_T;
  return LeastSquares(response, indistinct).rank() == response.rows();
}

// With quasi-tangential blocks.
void look_at_full(const QuasiVelocities& quasi, const MatrixLaw& law, ImpactOutlook& outlook) {
  const Eigen::Index p = outlook.G.rows(), t = quasi.T.rows();
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(p + t, p + t), energy = E;
  E.topLeftCorner(p, p) = outlook.E_nn;
  E.bottomRightCorner(t, t) = -Eigen::MatrixXd::Identity(t, t);
  if (law.E_nt.rows() == p && law.E_nt.cols() == t) E.topRightCorner(p, t) = law.E_nt;
  if (law.E_tn.rows() == t && law.E_tn.cols() == p) E.bottomLeftCorner(t, p) = law.E_tn;
  if (law.E_tt.rows() == t && law.E_tt.cols() == t) E.bottomRightCorner(t, t) = law.E_tt;
  energy.topLeftCorner(p, p) =
      LeastSquares(outlook.G, indistinct).solve(Eigen::MatrixXd::Identity(p, p));  // G⁻¹
  energy.bottomRightCorner(t, t) = Eigen::MatrixXd::Identity(t, t);
  outlook.full = full_restitution_conditions(energy, E);
  outlook.admissible = full_restitution_verdict(energy, E, p, answers_every_jump(quasi));
}

}  // namespace

template <int D>
ImpactOutlook impact_outlook(const ImpactProblem<D>& impact, const MatrixLaw& law,
                             RestitutionRule rule) {
  const QuasiVelocities quasi = quasi_velocities<D>(impact);
  ImpactOutlook outlook;
  outlook.G = quasi.G();
  outlook.E_nn = normal_restitution<D>(impact, law);
  outlook.norms = quasi.norms;
  outlook.rule = rule;
  outlook.independent = definiteness(outlook.G).smallest > indistinct;
  const double tangential = quasi.tangential().norm();
  outlook.normal_ratio =
      tangential > 0 ? quasi.normal().norm() / tangential : std::numeric_limits<double>::infinity();

  const Eigen::Index n = quasi.w.size(), p = outlook.G.rows();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);  // M, in the weighted velocities
  const Eigen::MatrixXd Q = loss_metric(ObliqueProjection(I, quasi.H_N.transpose()), I);
  Eigen::VectorXd e(p);
  for (Eigen::Index i = 0; i < p; ++i)
    e[i] = impact.coefficients[static_cast<std::size_t>(i)].restitution;
  outlook.projection_gain = projection_gain(Q, e.asDiagonal()) / definiteness(Q).largest;
  outlook.projection_scale = largest_scale(Q, e.asDiagonal());
  if (outlook.independent) outlook.normal = restitution_conditions(outlook.G, outlook.E_nn);

  if (law.has_tangential() && law.E_nn.rows() == p) {
    outlook.rule = RestitutionRule::letter;
    if (outlook.independent) look_at_full(quasi, law, outlook);
    return outlook;
  }
  outlook.frictionless = restitution_verdict(outlook.G, outlook.E_nn, rule);
  const bool rough = std::any_of(impact.coefficients.begin(), impact.coefficients.end(),
                                 [](const ImpactCoefficients& c) { return c.friction > 0; });
  if (!rough || rule == RestitutionRule::letter) {  // which knows no friction
    outlook.admissible = outlook.frictionless.closing;
    return outlook;
  }
  const Eigen::MatrixXd one = e[0] * Eigen::MatrixXd::Identity(p, p);
  outlook.one_restitution = has_one_restitution<D>(impact) && outlook.E_nn == one;
  if (outlook.one_restitution) outlook.admissible = Verdict::yes;
  outlook.walls_apart = !quasi.goes_with_walls;
  if (!outlook.independent || outlook.walls_apart) return outlook;
  outlook.sliding = TheoremTwo<D>(impact, quasi, outlook.E_nn).worst();
  // What opens has no distance effects on others.
  const bool by_E = outlook.E_nn.isDiagonal(0) || quasi.normal().maxCoeff() <= 0;
  if (by_E && outlook.sliding->conditions.hold(outlook.normal_ratio))
    outlook.admissible = Verdict::yes;
  return outlook;
}

template ImpactOutlook impact_outlook<2>(const ImpactProblem<2>&, const MatrixLaw&,
                                         RestitutionRule);
template ImpactOutlook impact_outlook<3>(const ImpactProblem<3>&, const MatrixLaw&,
                                         RestitutionRule);

}  // namespace talus
