// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/elliptic.hpp"

#include <cassert>
#include <cmath>

namespace talus {

namespace {

// s. Without friction there is nothing to stretch.
double stretch_of(const EllipticFriction& friction) {
  return friction.mu_1 > 0 ? std::sqrt(friction.mu_1 / friction.mu_2) : 1;
}

Coulomb<3> stretched_law(const EllipticFriction& friction) {
  return {std::sqrt(friction.mu_1 * friction.mu_2)};
}

}  // namespace

EllipticProblem::EllipticProblem(const ContactProblem<3>& problem,
                                 std::vector<EllipticFriction> friction)
    : friction_(std::move(friction)), stretched_(problem) {
  assert(friction_.size() == problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    assert((friction_[i].mu_1 > 0) == (friction_[i].mu_2 > 0));
    stretched_.b[i] = stretching(i).cwiseProduct(problem.b[i]);
    stretched_.law[i] = stretched_law(friction_[i]);
  }
  if (auto* rigid = std::get_if<RigidOperator<3>>(&stretched_.W)) {
    for (std::size_t i = 0; i < problem.size(); ++i) {
      assert(rigid->contacts[i].compliance.is_rigid() && "C would no longer be isotropic");
      rigid->contacts[i].frame = rigid->contacts[i].frame * stretching(i).asDiagonal();
      rigid->contacts[i].stretch = stretch_of(friction_[i]);
    }
  } else if (auto* factored = std::get_if<FactoredOperator<3>>(&stretched_.W)) {
    for (std::size_t i = 0; i < problem.size(); ++i) {
      for (std::size_t k = factored->start[i]; k < factored->start[i + 1]; ++k) {
        factored->H[k] = stretching(i).cwiseProduct(factored->H[k]);
        factored->Y[k] = stretching(i).cwiseProduct(factored->Y[k]);
      }
    }
  } else {
    auto& W = std::get<DelassusOperator<3>>(stretched_.W);
    for (std::size_t i = 0; i < problem.size(); ++i)
      for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
        W.block[k] =
            stretching(i).asDiagonal() * W.block[k] * stretching(at(W.column[k])).asDiagonal();
  }
}

Vec<3> EllipticProblem::stretching(std::size_t contact) const {
  return talus::stretching<3>(stretch_of(friction_[contact]));
}

Percussions<3> EllipticProblem::percussions(const Percussions<3>& of_stretched) const {
  Percussions<3> p = of_stretched;
  for (std::size_t i = 0; i < p.contact.size(); ++i)
    p.contact[i] = stretching(i).cwiseProduct(p.contact[i]);
  return p;
}

Percussions<3> EllipticProblem::stretch(const Percussions<3>& guess) const {
  Percussions<3> p = guess;
  for (std::size_t i = 0; i < p.contact.size(); ++i)
    p.contact[i] = p.contact[i].cwiseQuotient(stretching(i));
  return p;
}

std::vector<Vec<3>> EllipticProblem::velocities(const Percussions<3>& of_stretched) const {
  std::vector<Vec<3>> u = talus::velocities<3>(stretched_, of_stretched).contact;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = u[i].cwiseQuotient(stretching(i));
  return u;
}

Vec<3> solve_elliptic(const EllipticFriction& friction, const Mat<3>& W, const Vec<3>& q) {
  const Vec<3> T = stretching<3>(stretch_of(friction));
  const Mat<3> stretched = T.asDiagonal() * W * T.asDiagonal();
  return T.cwiseProduct(stretched_law(friction).solve(stretched, T.cwiseProduct(q)));
}

}  // namespace talus
