// SPDX-License-Identifier: Apache-2.0
// Contact problems whose solutions are known in closed form, one or several.
#include "solvers/climb/second_solution.hpp"

#include <doctest/doctest.h>

using namespace talus;

namespace {

// One contact with normal and tangential motion coupled as at the tip of Painlevé's rod,
//     W = (1 −0.8; −0.8 1),   b = (0.1, −1):
// it opens by itself, p = 0; if μ ≥ 0.92/0.7 it may also jam, p = −W⁻¹b = (0.7, 0.92)/0.36, or
// slide on, p = 0.1/(0.8μ − 1) (1, μ). Their velocities are b, 0 and, at μ = 1.5, (0, −0.65).
template <int D>
ContactProblem<D> rod_tip(double friction) {
  DelassusOperator<D> W;
  W.row_start = {0, 1};
  W.column = {0};
  W.block = {Mat<D>::Identity()};
  W.block[0](0, 1) = W.block[0](1, 0) = -0.8;
  ContactProblem<D> problem;
  problem.W = W;
  Vec<D> b = Vec<D>::Zero();
  b[0] = 0.1;
  b[1] = -1;
  problem.b = {b};
  problem.law = {{friction}};
  return problem;
}

template <int D>
SecondSolution look(const ContactProblem<D>& problem) {
  const Percussions<D> none{std::vector<Vec<D>>(problem.size(), Vec<D>::Zero()), {}};
  return look_for_second_solution<D>(problem, none);
}

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

}  // namespace

TEST_CASE_TEMPLATE("a rod tip that may open or jam has several solutions", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const SecondSolution found = look<D>(rod_tip<D>(1.5));
  CHECK(found.found == Solutions::several);
  CHECK(found.difference > 0.35);
}

TEST_CASE_TEMPLATE("below its critical friction the rod tip has one solution", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double friction : {0.0, 0.3, 1.2}) {
    const SecondSolution found = look<D>(rod_tip<D>(friction));
    CHECK(found.found == Solutions::one_found);
    CHECK(found.difference == 0);
  }
}
