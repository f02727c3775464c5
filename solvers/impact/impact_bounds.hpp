// SPDX-License-Identifier: Apache-2.0
// The conditions of impact_conditions.hpp for impacts of many contacts, without a dense matrix:
// norm and spectral bounds, each replaced by one that is safe and cheap. Copositivity, least
// losses, quasi-tangential blocks and Theorem 2 are left out.
#pragma once

#include "solvers/complementarity/matrix_class.hpp"
#include "solvers/impact/impact_problem.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/impact/restitution_verdict.hpp"

namespace talus {

struct RestitutionBounds {
  // Of the normalised Delassus matrix G: its Cholesky factors exist, its eigenvalues lie between.
  bool independent = false;
  double smallest_G = 0;  // at least, by inverse iteration
  double largest_G = 0;   // at most, by Gershgorin's disks

  bool kinematic = false;              // E_nn ≥ 0 entry by entry
  Verdict kinetic = Verdict::unknown;  // G⁻¹(I + E_nn) ≥ 0: yes where G is an M-matrix
  bool one_coefficient = false;  // E_nn = e I, whose loss is (1 − e²) G⁻¹ [B12, Proposition 5]
  double spectral_radius = 0;    // at most √(‖E_nn‖₁ ‖E_nn‖_∞), as is
  double sigma = 0, sigma_bound = 0;  // σ_max(E_nn), and at least what Proposition 6 allows
  double norm = 0, norm_bound = 0;    // ‖E_nn‖₂, and at least what Proposition 7 allows
  bool frictionless = false;
  RestitutionRule rule = RestitutionRule::complementarity;

  // For all arrivals in which no contact opens; energy where contacts open. As in
  // restitution_verdict.hpp.
  Verdict admissible = Verdict::unknown, opening = Verdict::unknown;
};

// Under a restitution matrix by neighbours, or the diagonal one. Of a matrix given in full for as
// many contacts nothing is proved: the bounds are those of the diagonal.
template <int D>
RestitutionBounds restitution_bounds(const ImpactProblem<D>& impact, const MatrixLaw& law,
                                     RestitutionRule rule = RestitutionRule::complementarity);

}  // namespace talus
