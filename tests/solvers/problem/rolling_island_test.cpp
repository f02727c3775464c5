// SPDX-License-Identifier: Apache-2.0
// Islands whose contacts pass moments: W assembled, and Newton on it.
#include "solvers/problem/rolling_island.hpp"

#include <doctest/doctest.h>

#include "solvers/climb/proximal_newton.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

// Sliding, rolling, open and sticking contacts, compliant ones, and rows between bodies.
template <int D>
ContactProblem<D> mixed_problem() {
  ContactProblem<D> problem = with_moments<D>(
      random_problem<D>({.bodies = 40, .contacts = 50, .friction = 0.3, .rows = 8, .seed = 12}),
      20);
  auto& W = std::get<RigidOperator<D>>(problem.W);
  W.contacts[3].compliance = {0.2, 0.1};
  problem.rows[2].compliance = 0.3;
  return problem;
}

template <int D>
RollingIsland<D> largest_island(const ContactProblem<D>& problem, const Islands<D>& islands) {
  std::vector<int> largest;
  for (const std::vector<int>& members : islands.members())
    if (members.size() > largest.size()) largest = members;
  REQUIRE(largest.size() > 30);
  return RollingIsland<D>(problem, islands, largest);
}

}  // namespace

TEST_CASE_TEMPLATE("W of wrenches is what velocities are made with", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = mixed_problem<D>();
  const Islands<D> islands(problem);
  const RollingIsland<D> island = largest_island<D>(problem, islands);
  const DelassusOperator<wrench_dim<D>> W = island.delassus();
  const std::vector<Wrench<D>> none(island.size(), Wrench<D>::Zero());
  std::vector<Wrench<D>> x = none, y, b;
  island.velocities(none, b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i].setRandom();
    if (island.is_bilateral(i)) x[i].template tail<wrench_dim<D> - 1>().setZero();
  }
  island.velocities(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
      b[i] += W.block[k] * x[at(W.column[k])];
      if (at(W.column[k]) == i)
        CHECK((W.block[k] - island.own_block(i)).norm() <= 1e-13 * W.block[k].norm());
    }
    CHECK((b[i] - y[i]).norm() <= 1e-12 * (1 + y[i].norm()));
  }
}

TEST_CASE_TEMPLATE("Newton solves for wrenches from no percussions", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = mixed_problem<D>();
  const Islands<D> islands(problem);
  const RollingIsland<D> island = largest_island<D>(problem, islands);
  const DelassusOperator<wrench_dim<D>> W = island.delassus();
  BlockLu<wrench_dim<D>> factors;
  REQUIRE(factors.analyse(W));
  Best<wrench_dim<D>> best;
  best.p.assign(island.size(), Wrench<D>::Zero());
  std::vector<Wrench<D>> y;
  island.velocities(best.p, y);
  best.error = island.error(best.p, y);
  const int steps = ProximalNewton<RollingIsland<D>>(island, W, factors)
                        .run({.tolerance = 1e-12, .iterations = 200}, 0.01, best);
  CAPTURE(steps);
  CHECK(best.error <= 1e-12);
  int rolls = 0, sticks = 0;
  for (std::size_t i = 0; i < island.size(); ++i) {
    if (island.is_bilateral(i) || !(best.p[i][0] > 0)) continue;
    const double rolling = best.p[i].template tail<D - 1>().norm();
    const bool at_bound = rolling >= (1 - 1e-9) * island.law_of(i).rolling * best.p[i][0];
    ++(at_bound ? rolls : sticks);
  }
  CHECK(rolls > 3);
  CHECK(sticks > 0);
}
