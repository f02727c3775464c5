// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/well_posedness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/complementarity/mlcp.hpp"
#include "solvers/complementarity/sparse_rank.hpp"
#include "solvers/math/dense.hpp"

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

// Of the largest acceleration along a joint: its curvature is known from differences over a motion
// of 1e-4, to 1e-8.
constexpr double compatible = 1e-6;

constexpr Index most_for_loads = 12;  // contacts, for the condition on loads

bool is_rough(const ConstraintSet& set, Index i) { return set.friction[i] > 0; }
bool is_slipping(const ConstraintSet& set, Index i) { return set.slip.col(i).squaredNorm() > 0; }

double largest_friction(const ConstraintSet& set) {
  return set.size() > 0 ? set.friction.maxCoeff() : 0;
}

// Rows one set under the other.
SparseRows stacked(const std::vector<const SparseRows*>& parts, Index columns) {
  Index rows = 0;
  for (const SparseRows* part : parts) rows += part->rows();
  std::vector<Eigen::Triplet<double>> entries;
  Index first = 0;
  for (const SparseRows* part : parts) {
    for (Index i = 0; i < part->rows(); ++i)
      for (SparseRows::InnerIterator it(*part, i); it; ++it)
        entries.emplace_back(static_cast<int>(first + i), static_cast<int>(it.col()), it.value());
    first += part->rows();
  }
  SparseRows all(rows, columns);
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

// The tangents in which friction can act: along the slip where there is one, all where there is
// none and the slip may come to have any direction. With unit slips S, ‖A S‖ ≤ ‖A‖, so that a norm
// over all tangents bounds that over any slip.
SparseRows friction_rows(const ConstraintSet& set, int tangents, std::vector<int>& owner) {
  const SparseRows along_slip = slip_rows(set, tangents);
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (Index i = 0; i < set.size(); ++i) {
    if (!is_rough(set, i)) continue;
    const auto add = [&](const SparseRows& from, Index k) {
      for (SparseRows::InnerIterator it(from, k); it; ++it)
        entries.emplace_back(row, static_cast<int>(it.col()), it.value());
      owner.push_back(static_cast<int>(i));
      ++row;
    };
    if (is_slipping(set, i)) {
      add(along_slip, i);
    } else {
      for (int k = 0; k < tangents; ++k) add(set.tangent, i * tangents + k);
    }
  }
  SparseRows rows(row, set.tangent.cols());
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

// All tangents of the rough constraints that do not slip.
SparseRows resting_rows(const ConstraintSet& set, int tangents, std::vector<int>& owner) {
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (Index i = 0; i < set.size(); ++i) {
    if (!is_rough(set, i) || is_slipping(set, i)) continue;
    for (int k = 0; k < tangents; ++k, ++row) {
      for (SparseRows::InnerIterator it(set.tangent, i * tangents + k); it; ++it)
        entries.emplace_back(row, static_cast<int>(it.col()), it.value());
      owner.push_back(static_cast<int>(i));
    }
  }
  SparseRows rows(row, set.tangent.cols());
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

// Normals, of constraints that slip together with the friction against it.
SparseRows rows_with_sliding(const ConstraintSet& set, int tangents) {
  const SparseRows friction = set.friction.asDiagonal() * slip_rows(set, tangents);
  return set.normal - friction;
}

void find_ranks(const ContactSystem& system, Index most_dense, WellPosedness& report) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  const Index dof = u.normal.cols();
  Ranks& ranks = report.ranks;
  ranks.bilateral = row_space(b.normal, most_dense).rank;
  const RowSpace all = row_space(stacked({&b.normal, &u.normal}, dof), most_dense);
  ranks.unilateral = b.size() == 0 ? all.rank : row_space(u.normal, most_dense).rank;
  ranks.all = all.rank;
  ranks.constraints = b.size() + u.size();
  report.distorted_definite = ranks.all == ranks.bilateral + u.size();
  const int m_b = static_cast<int>(b.size()), m_u = static_cast<int>(u.size());
  for (const int i : all.dependent)
    (i < m_b ? report.free_bilateral : report.free_unilateral).push_back(i < m_b ? i : i - m_b);

  // Directions of forces with friction: every tangent of a rough contact at rest has one of its
  // own, a contact that slides has one for the normal force and its friction.
  std::vector<int> owner_b, owner_u;
  const SparseRows T_b = resting_rows(b, system.tangents, owner_b),
                   T_u = resting_rows(u, system.tangents, owner_u);
  const SparseRows N_b = rows_with_sliding(b, system.tangents),
                   N_u = rows_with_sliding(u, system.tangents);
  const RowSpace rough = row_space(stacked({&N_b, &N_u, &T_b, &T_u}, dof), most_dense);
  ranks.with_friction = rough.rank;
  ranks.constraints_with_friction = ranks.constraints + T_b.rows() + T_u.rows();
  // Dependent rows by their constraints: normals first, then tangents.
  std::vector<char> takes_part(static_cast<std::size_t>(m_b + m_u), 0);
  const int first_b = m_b + m_u, first_u = first_b + static_cast<int>(T_b.rows());
  for (const int row : rough.dependent) {
    const int constraint = row < first_b   ? row
                           : row < first_u ? owner_b[static_cast<std::size_t>(row - first_b)]
                                           : m_b + owner_u[static_cast<std::size_t>(row - first_u)];
    takes_part[static_cast<std::size_t>(constraint)] = 1;
  }
  for (int i = 0; i < m_b + m_u; ++i) {
    if (!takes_part[static_cast<std::size_t>(i)]) continue;
    if (i < m_b) report.free_bilateral_with_friction.push_back(i);
    if (i >= m_b) report.free_unilateral_with_friction.push_back(i - m_b);
  }
}

KineticAngles find_angles(const ContactSystem& system) {
  const SparseRows all = stacked({&system.bilateral.normal, &system.unilateral.normal},
                                 system.unilateral.normal.cols());
  const Sparse G = normalised_delassus(all);
  KineticAngles angles;
  for (Index j = 0; j < G.outerSize(); ++j) {
    for (Sparse::InnerIterator it(G, j); it; ++it) {
      if (it.row() <= it.col()) continue;
      const double angle = kinetic_angle(std::clamp(it.value(), -1.0, 1.0));
      angles.least = angles.pairs == 0 ? angle : std::min(angles.least, angle);
      angles.largest = angles.pairs == 0 ? angle : std::max(angles.largest, angle);
      ++angles.pairs;
    }
  }
  return angles;
}

// A_n − A_t [μ] of the unilateral contacts as they slip, bilateral constraints eliminated; with
// friction in these the horizontal problem's matrix. Empty where it does not exist.
std::optional<MatrixXd> sliding_matrix(const SlidingMatrices& A) {
  const bool rough_b = A.mu_b.size() > 0 && A.mu_b.maxCoeff() > 0;
  if (A.A_nb.rows() == 0) return unilateral_matrix(A);
  if (!rough_b) {
    const LeastSquares inverse(A.A_nb, 1e-11);
    return distorted_delassus(A) -
           (A.A_tu - A.A_nbnu.transpose() * inverse.solve(A.A_nbtu)) * A.mu_u.asDiagonal();
  }
  if (sigma_min(A.A_nb) <= 1e-12 * sigma_max(A.A_nb)) return std::nullopt;
  if (A.A_nu.rows() > 0) return mixed_matrix(A);
  const MatrixXd friction = A.A_tb * A.mu_b.asDiagonal();
  return hlcp_matrix({A.A_nb - friction, A.A_nb + friction, VectorXd::Zero(A.mu_b.size())});
}

// Proposition 13's bound depends on which way the gradients of the bilateral constraints point, and
// what it promises does not: the best of all ways counts.
void bound_mixed(const ContactSystem& system, FrictionBounds& bounds) {
  const Index m = std::min<Index>(system.bilateral.size(), 6);
  double best = 0, printed = 0;
  for (int signs = 0; signs < 1 << m; ++signs) {
    ContactSystem turned = system;
    for (Index i = 0; i < m; ++i)
      if ((signs >> i & 1) != 0) turned.bilateral.normal.row(i) *= -1;
    const SlidingMatrices A = sliding_matrices(turned);
    best = std::max(best, mixed_bound(A));
    printed = std::max(printed, printed_mixed_bound(A));
  }
  bounds.best = best;
  bounds.proposition_13 = best;
  bounds.proposition_13_printed = std::min(printed, best);
}

// As if bilateral constraints at rest slipped, in the plane: the norms of their couplings are the
// same either way.
ContactSystem about_to_slip(const ContactSystem& system) {
  ContactSystem slipping = system;
  ConstraintSet& b = slipping.bilateral;
  for (Index i = 0; i < b.size() && system.tangents == 1; ++i)
    if (is_rough(b, i) && !is_slipping(b, i)) b.slip(0, i) = 1;
  return slipping;
}

// The conditions of [BBB16, Corollary 2] on the slips and on the load w_c, for smooth joints.
void judge_load(const ContactSystem& system, const SlidingMatrices& A, WellPosedness& report) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  if (!report.slides || largest_friction(b) > 0 || u.size() > most_for_loads) return;
  MatrixXd A_t = A.A_tu;
  VectorXd w = u.w_normal;
  if (b.size() > 0) {
    const LeastSquares inverse(A.A_nb, 1e-11);
    A_t -= A.A_nbnu.transpose() * inverse.solve(A.A_nbtu);
    w -= A.A_nbnu.transpose() * inverse.solve(b.w_normal);
  }
  const MatrixXd couplings = A_t * A.mu_u.asDiagonal();
  report.couplings_nonpositive = couplings.maxCoeff() <= 1e-12 * report.sliding.norm();
  report.load_admissible = is_admissible(report.sliding, w) ? Verdict::yes : Verdict::no;
}

void bound_densely(const ContactSystem& system, WellPosedness& report) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  const SlidingMatrices A = sliding_matrices(system);
  FrictionBounds& bounds = report.bounds;
  std::vector<int> owner;
  const SparseRows T = friction_rows(u, system.tangents, owner);
  const bool rough_b = largest_friction(b) > 0, rough_u = T.rows() > 0;
  const bool all_slip = !report.rests;

  const MatrixXd A_c = distorted_delassus(A);
  if (u.size() == 0 && rough_b) {
    const SlidingMatrices to_come = sliding_matrices(about_to_slip(system));
    bounds.proposition_9 = bilateral_bound(to_come);
    bounds.proposition_10 = *bounds.proposition_9 / 3;
    bounds.proposition_11 = partly_frictionless_bound(to_come);
    bounds.best = std::max(*bounds.proposition_9, *bounds.proposition_11);
  } else if (b.size() == 0 && rough_u) {
    const MatrixXd A_nt = MatrixXd(SparseRows(u.normal * SparseRows(T.transpose())));
    bounds.proposition_12 = singular_ratio(A.A_nu, A_nt);
    bounds.best = *bounds.proposition_12;
    if (all_slip) {
      const KineticBounds kinetic = kinetic_bounds(A);
      bounds.kinetic_statement = kinetic.statement;
      bounds.kinetic_proof = kinetic.proof;
      bounds.kinetic_spectral_statement = kinetic.spectral_statement;
      bounds.kinetic_spectral_proof = kinetic.spectral_proof;
      bounds.best = std::max(bounds.best, kinetic.spectral_proof);
      bounds.kinetic_symmetric = symmetric_bound(A);
    }
  } else if (!rough_b && rough_u) {
    const SparseRows Tt = T.transpose();
    const MatrixXd A_nt = MatrixXd(SparseRows(u.normal * Tt)),
                   A_bt = MatrixXd(SparseRows(b.normal * Tt));
    bounds.proposition_14 =
        singular_ratio(A_c, A_nt - A.A_nbnu.transpose() * LeastSquares(A.A_nb, 1e-11).solve(A_bt));
    bounds.best = *bounds.proposition_14;
  } else if (rough_b && u.size() > 0 && all_slip && u.size() + b.size() <= 20) {
    bound_mixed(system, bounds);
  }
  report.matrix_exact = u.size() + b.size() <= 16;
  if (const std::optional<MatrixXd> M = sliding_matrix(A); M && M->rows() > 0) {
    report.sliding = *M;
    report.P = is_P_matrix(*M);
    report.positive_definite = is_positive_definite(*M);
    if (report.positive_definite) report.P = Verdict::yes;
    report.copositive = report.positive_definite ? Verdict::yes : is_copositive(*M);
    judge_load(system, A, report);
  } else if (M) {
    report.P = Verdict::yes;
    report.positive_definite = true;
    report.copositive = Verdict::yes;
  }
}

// A_n − A_t [μ] of unilateral contacts as they slip.
Sparse sparse_sliding_matrix(const ContactSystem& system) {
  const ConstraintSet& u = system.unilateral;
  const SparseRows along = slip_rows(u, system.tangents);
  const Sparse A_t = u.normal * SparseRows(along.transpose());
  return delassus(u.normal) - Sparse(A_t * u.friction.asDiagonal());
}

void bound_sparsely(const ContactSystem& system, WellPosedness& report) {
  const ConstraintSet& u = system.unilateral;
  if (system.bilateral.size() > 0) return;
  std::vector<int> owner;
  const SparseRows T = friction_rows(u, system.tangents, owner);
  const Sparse A_n = delassus(u.normal);
  const bool regular = report.ranks.unilateral == u.size();
  if (T.rows() > 0) {
    const Sparse A_nt = u.normal * SparseRows(T.transpose());
    const double sigma = largest_singular_value(A_nt);
    const double least = regular ? least_eigenvalue(A_n) : 0;
    report.bounds.proposition_12 =
        sigma > 0 ? least / sigma : std::numeric_limits<double>::infinity();
    report.bounds.best = *report.bounds.proposition_12;
  }
  if (!regular) return;
  report.positive_definite = is_positive_definite(sparse_sliding_matrix(system));
  if (report.positive_definite) report.P = report.copositive = Verdict::yes;
}

// Independent constraints have a solution for every load [BBB16, Propositions 1(i), 3(i), 7(i)].
// Otherwise joints must be compatible, w_b ∈ Im ∇h_bᵀ [Proposition 1(ii)], and Lemke's method ends
// on a ray exactly where there is none, for the matrix is positive semidefinite [Propositions
// 3(iv), 7(v)].
Verdict solvable_without_friction(const ContactSystem& system, const Ranks& ranks,
                                  const WellPosednessOptions& options) {
  if (ranks.hyperstatic() == 0) return Verdict::yes;
  const ConstraintSet& b = system.bilateral;
  if (b.size() > options.most_dense || system.unilateral.size() > options.most_unknowns)
    return Verdict::unknown;
  if (b.size() > 0) {
    const MatrixXd N_b(b.normal), A_nb = N_b * N_b.transpose();
    const VectorXd lambda = LeastSquares(A_nb, 1e-11).solve(b.w_normal);
    const double apart = (A_nb * lambda - b.w_normal).cwiseAbs().maxCoeff();
    if (apart > compatible * b.w_normal.cwiseAbs().maxCoeff()) return Verdict::no;
  }
  ContactSystem smooth = system;
  smooth.bilateral.friction.setZero();
  smooth.unilateral.friction.setZero();
  switch (lemke_modes(smooth, options.most_unknowns)->end) {
    case LemkeEnd::solved:
      return Verdict::yes;
    case LemkeEnd::ray:
      return Verdict::no;
    default:
      return Verdict::unknown;
  }
}

void find_modes(const ContactSystem& system, const WellPosednessOptions& options,
                WellPosedness& report) {
  const ConstraintSet& b = system.bilateral;
  if (!system.rough_joints.empty()) {
    report.joint_friction_ratio = joint_friction_ratio(system);
    report.modes = enumerate_rough_joints(
        system, {.most_visits = options.most_visits, .seconds = options.seconds});
    return;
  }
  Index undecided = system.unilateral.size();
  for (Index i = 0; i < b.size(); ++i) undecided += is_rough(b, i);
  const bool masses = system.massless == 0;  // the solvers below need them
  if (masses && system.tangents > 1 && report.rests)
    report.cones = cone_motion(system, options.most_unknowns);
  if (undecided <= options.most_contacts && system.size() <= 40) {
    const bool known = report.cones && report.cones->converged;
    report.modes = enumerate_modes(system, {.most_visits = options.most_visits,
                                            .seconds = options.seconds,
                                            .first = known ? &report.cones->motion : nullptr});
  }
  report.lemke_unknowns = lemke_unknowns(system);
  if (masses && (!report.modes || !report.modes->complete) && b.size() <= options.most_dense)
    report.lemke = lemke_modes(system, options.most_unknowns);
}

bool solved(const WellPosedness& report) {
  return (report.modes && !report.modes->solutions.empty()) ||
         (report.cones && report.cones->converged) ||
         (report.lemke && report.lemke->end == LemkeEnd::solved);
}

Advice advise(const WellPosedness& report) {
  if (report.modes && (report.modes->complete || !report.modes->solutions.empty()) &&
      !one_acceleration(*report.modes))
    return Advice::paradoxical;
  if (report.joint_friction_ratio) return solved(report) ? Advice::rough_joints : Advice::undecided;
  const double mu = report.bounds.largest;
  if (mu == 0) return Advice::frictionless;
  if (report.rests) return solved(report) ? Advice::resting : Advice::undecided;
  if (mu < 0.5 * report.bounds.best) return Advice::safe;
  if (mu < report.bounds.best) return Advice::inside;
  return report.slides && report.P == Verdict::yes ? Advice::beyond : Advice::not_unique;
}

}  // namespace

Verdict sliding_is_P(const ContactSystem& system, Index most_dense) {
  if (system.size() <= most_dense) {
    const std::optional<MatrixXd> M = sliding_matrix(sliding_matrices(system));
    if (!M) return Verdict::unknown;
    if (M->rows() == 0 || is_positive_definite(*M)) return Verdict::yes;
    return is_P_matrix(*M);
  }
  if (system.bilateral.size() > 0) return Verdict::unknown;
  return is_positive_definite(sparse_sliding_matrix(system)) ? Verdict::yes : Verdict::unknown;
}

namespace {

// With massless freedoms the propositions that ask for M > 0 are about the freedoms that the joints
// leave, where those have a mass.
void bound_reduced(const ContactSystem& system, WellPosedness& report) {
  report.massless_determined = joints_determine_massless(system);
  const std::optional<ContactSystem> reduced = reduced_by_joints(system);
  if (!reduced) return;
  const WellPosedness rest = well_posedness(*reduced, {.most_contacts = 0, .most_unknowns = 0});
  report.angles = rest.angles;
  report.distorted_definite = rest.distorted_definite;
  report.bounds = rest.bounds;
  report.painleve = rest.painleve;
  report.sliding = rest.sliding;
  report.matrix_exact = rest.matrix_exact;
  report.P = rest.P;
  report.copositive = rest.copositive;
  report.positive_definite = rest.positive_definite;
  report.frictionless = rest.frictionless;
}

}  // namespace

WellPosedness well_posedness(const ContactSystem& system, const WellPosednessOptions& options) {
  const ConstraintSet &b = system.bilateral, &u = system.unilateral;
  WellPosedness report;
  report.freedoms = u.normal.cols();
  report.bounds.largest = std::max(largest_friction(b), largest_friction(u));
  for (const ConstraintSet* set : {&b, &u})
    for (Index i = 0; i < set->size(); ++i)
      if (is_rough(*set, i)) (is_slipping(*set, i) ? report.slides : report.rests) = true;
  find_ranks(system, options.most_dense, report);
  report.massless = system.massless;
  if (system.massless > 0) {
    bound_reduced(system, report);
    find_modes(system, options, report);
    report.advice = advise(report);
    return report;
  }
  report.angles = find_angles(system);
  const bool small = system.size() <= options.most_dense;
  small ? bound_densely(system, report) : bound_sparsely(system, report);
  if (b.size() <= options.most_dense) report.painleve = painleve_ratios(system);
  if (system.size() > 0) {
    report.frictionless = solvable_without_friction(system, report.ranks, options);
    find_modes(system, options, report);
  }
  report.advice = advise(report);
  return report;
}

}  // namespace talus
