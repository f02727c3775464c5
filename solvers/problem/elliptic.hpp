// SPDX-License-Identifier: Apache-2.0
// Friction with an elliptic section: ‖A⁻¹p_T‖ ≤ p_N with A = diag(μ₁, μ₂) along the contact's
// tangents, and sliding that dissipates most, −û_T ∝ A⁻²p_T. In p = T p̃, û = T⁻¹ ũ with
// T = diag(1, s, 1/s), s = √(μ₁/μ₂), it is Coulomb's law with μ = √(μ₁μ₂): De Saxcé's term ‖A û_T‖
// is μ‖ũ_T‖, and
//     ũ = (T W T) p̃ + T b,
// so a problem is stretched, solved by any method, and its percussions are stretched back. The
// error of the stretched problem weighs the two tangential velocities by s and 1/s.
#pragma once

#include "solvers/problem/contact_problem.hpp"

namespace talus {

// Friction coefficients along t₁ and t₂, both positive, or both zero.
struct EllipticFriction {
  double mu_1 = 0, mu_2 = 0;
};

class EllipticProblem {
 public:
  // One coefficient pair per contact; those of problem.law are not looked at. In rigid form the
  // frames are stretched, else the entries of W or of its factors.
  EllipticProblem(const ContactProblem<3>& problem, std::vector<EllipticFriction> friction);

  const ContactProblem<3>& stretched() const { return stretched_; }
  Percussions<3> percussions(const Percussions<3>& of_stretched) const;
  Percussions<3> stretch(const Percussions<3>& guess) const;

  // Into the frame of the problem that was given.
  std::vector<Vec<3>> velocities(const Percussions<3>& of_stretched) const;

 private:
  Vec<3> stretching(std::size_t contact) const;  // the diagonal of T

  std::vector<EllipticFriction> friction_;
  ContactProblem<3> stretched_;
};

// One contact.
Vec<3> solve_elliptic(const EllipticFriction& friction, const Mat<3>& W, const Vec<3>& q);

}  // namespace talus
