// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_law.hpp"

#include <cassert>

namespace talus {

namespace {

template <int D>
struct Solve {
  const ImpactProblem<D>& impact;

  ImpactAnswer<D> operator()(const MoreauLaw&) const {
    assert(false && "Moreau's law is part of the contact problem");
    return {std::vector<Vec<D>>(impact.size(), Vec<D>::Zero())};
  }
  ImpactAnswer<D> operator()(const MatrixLaw& law) const { return matrix_impact<D>(impact, law); }
  ImpactAnswer<D> operator()(const PoissonLaw& law) const { return poisson_impact<D>(impact, law); }
  ImpactAnswer<D> operator()(const LzbLaw& law) const { return lzb_impact<D>(impact, law); }
  ImpactAnswer<D> operator()(const ProjectionLaw& law) const {
    return projection_impact<D>(impact, law);
  }
};

}  // namespace

template <int D>
ImpactAnswer<D> solve_impact(const ImpactProblem<D>& impact, const ImpactLaw& law) {
  return std::visit(Solve<D>{impact}, law);
}

template ImpactAnswer<2> solve_impact<2>(const ImpactProblem<2>&, const ImpactLaw&);
template ImpactAnswer<3> solve_impact<3>(const ImpactProblem<3>&, const ImpactLaw&);

}  // namespace talus
