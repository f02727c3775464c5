// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_outlook.hpp"

#include <algorithm>
#include <limits>

#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

constexpr double indistinct = 1e-10;     // from zero, of eigenvalues of G of order one
constexpr std::size_t most_sliding = 8;  // contacts whose ways to slide are all tried

// M^(−1/2) of a percussion along the slip of every contact, along its first tangent if it has none.
template <int D>
Eigen::MatrixXd percussion_along_slip(const ImpactProblem<D>& impact, const Eigen::MatrixXd& H_T) {
  const std::vector<Vec<D>> u = contact_velocities<D>(impact, impact.v_minus);
  Eigen::MatrixXd H(H_T.rows(), static_cast<Eigen::Index>(impact.size()));
  for (Eigen::Index i = 0; i < H.cols(); ++i) {
    Vec<D - 1> slip = u[static_cast<std::size_t>(i)].template tail<D - 1>();
    if (slip.norm() > 0)
      slip.normalize();
    else
      slip = Vec<D - 1>::Unit(0);
    H.col(i) = H_T.template middleCols<D - 1>(i * (D - 1)) * slip;
  }
  return H;
}

// Theorem 2 for the worst of the ways in which the contacts with friction may slide.
template <int D>
SlidingConditions worst_sliding(const ImpactProblem<D>& impact, const QuasiVelocities& quasi,
                                const Eigen::MatrixXd& E_nn) {
  const Eigen::MatrixXd H = percussion_along_slip<D>(impact, quasi.H_T);
  SlidingImpact sliding{quasi.G(), quasi.N * H, quasi.T * H, {}, {}, E_nn};
  sliding.D_t = Eigen::MatrixXd::Identity(quasi.T.rows(), quasi.T.rows());
  sliding.mu_bar.resize(quasi.norms.size());
  std::vector<Eigen::Index> rough;
  for (Eigen::Index i = 0; i < quasi.norms.size(); ++i) {
    const double mu = impact.coefficients[static_cast<std::size_t>(i)].friction;
    sliding.mu_bar[i] = mu / quasi.norms[i];
    if (mu > 0) rough.push_back(i);
  }
  SlidingConditions worst = sliding_conditions(sliding);
  if (rough.size() > most_sliding) return worst;
  const Eigen::VectorXd mu_bar = sliding.mu_bar;
  for (std::size_t way = 1; way < std::size_t{1} << rough.size(); ++way) {
    for (std::size_t k = 0; k < rough.size(); ++k)
      sliding.mu_bar[rough[k]] = (way >> k & 1) != 0 ? -mu_bar[rough[k]] : mu_bar[rough[k]];
    const SlidingConditions c = sliding_conditions(sliding);
    worst.lemma_1 = worst.lemma_1 && c.lemma_1;
    worst.smallest_M = std::min(worst.smallest_M, c.smallest_M);
    worst.largest_K = std::max(worst.largest_K, c.largest_K);
    worst.coupling_small = worst.coupling_small && c.coupling_small;
    worst.normal_ratio = std::max(worst.normal_ratio, c.normal_ratio);
  }
  return worst;
}

Verdict weakest(std::initializer_list<Verdict> verdicts) {
  Verdict all = Verdict::yes;
  for (const Verdict verdict : verdicts) {
    if (verdict == Verdict::no) return Verdict::no;
    if (verdict == Verdict::unknown) all = Verdict::unknown;
  }
  return all;
}

Verdict verdict_of(bool holds) { return holds ? Verdict::yes : Verdict::no; }

}  // namespace

template <int D>
ImpactOutlook impact_outlook(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const QuasiVelocities quasi = quasi_velocities<D>(impact);
  ImpactOutlook outlook;
  outlook.G = quasi.G();
  outlook.E_nn = normal_restitution<D>(impact, law);
  outlook.independent = definiteness(outlook.G).smallest > indistinct;
  const double tangential = quasi.tangential().norm();
  outlook.normal_ratio =
      tangential > 0 ? quasi.normal().norm() / tangential : std::numeric_limits<double>::infinity();

  const Eigen::Index n = quasi.w.size();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);  // M, in the weighted velocities
  const Eigen::MatrixXd Q = loss_metric(ObliqueProjection(I, quasi.H_N.transpose()), I);
  Eigen::VectorXd e(quasi.norms.size());
  for (Eigen::Index i = 0; i < e.size(); ++i)
    e[i] = impact.coefficients[static_cast<std::size_t>(i)].restitution;
  outlook.projection_gain = projection_gain(Q, e.asDiagonal()) / definiteness(Q).largest;

  if (!outlook.independent) return outlook;
  outlook.normal = restitution_conditions(outlook.G, outlook.E_nn);
  const double loss_rounding = indistinct * definiteness(outlook.G).largest;
  const Verdict frictionless =
      weakest({verdict_of(outlook.normal.kinematic), verdict_of(outlook.normal.kinetic),
               outlook.normal.energetic.copositive(loss_rounding)});
  const Eigen::Index p = outlook.G.rows(), t = quasi.T.rows();
  if (law.has_tangential() && law.E_nn.rows() == p) {
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
    outlook.admissible = outlook.full->smallest_loss < -indistinct ? Verdict::no : Verdict::unknown;
    return outlook;
  }
  const bool rough = std::any_of(impact.coefficients.begin(), impact.coefficients.end(),
                                 [](const ImpactCoefficients& c) { return c.friction > 0; });
  if (!rough) {
    outlook.admissible = frictionless;
    return outlook;
  }
  outlook.sliding = worst_sliding<D>(impact, quasi, outlook.E_nn);
  if (outlook.sliding->lemma_1 && outlook.sliding->coupling_small &&
      outlook.normal_ratio >= outlook.sliding->normal_ratio)
    outlook.admissible = Verdict::yes;
  return outlook;
}

template ImpactOutlook impact_outlook<2>(const ImpactProblem<2>&, const MatrixLaw&);
template ImpactOutlook impact_outlook<3>(const ImpactProblem<3>&, const MatrixLaw&);

}  // namespace talus
