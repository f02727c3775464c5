// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/poisson.hpp"

#include "solvers/impact/impact_contacts.hpp"

namespace talus {

template <int D>
ImpactAnswer<D> poisson_impact(const ImpactProblem<D>& impact, const PoissonLaw&) {
  const std::vector<Vec<D>> u_minus = contact_velocities<D>(impact, impact.v_minus);
  ImpactAnswer<D> answer =
      impact_percussions<D>(impact, u_minus, std::vector<double>(impact.size(), 0.0));

  const std::vector<Vec<D>> u_c =
      contact_velocities<D>(impact, velocities_after<D>(impact, answer.percussions));
  std::vector<double> given_back;
  for (std::size_t i = 0; i < impact.size(); ++i)
    given_back.push_back(impact.coefficients[i].restitution * answer.percussions[i][0]);
  const ImpactAnswer<D> expansion = impact_percussions<D>(impact, u_c, given_back);

  for (std::size_t i = 0; i < impact.size(); ++i) answer.percussions[i] += expansion.percussions[i];
  answer.solved = answer.solved && expansion.solved;
  return answer;
}

template ImpactAnswer<2> poisson_impact<2>(const ImpactProblem<2>&, const PoissonLaw&);
template ImpactAnswer<3> poisson_impact<3>(const ImpactProblem<3>&, const PoissonLaw&);

}  // namespace talus
