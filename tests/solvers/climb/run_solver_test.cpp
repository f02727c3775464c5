// SPDX-License-Identifier: Apache-2.0
// What a run solves its steps with: sweeps of all islands, direct methods for those they leave
// open.
#include "solvers/climb/run_solver.hpp"

#include <doctest/doctest.h>

#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

TEST_CASE_TEMPLATE("an island that sweeps leave open is solved, whatever the size of the rest", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> heap = column<D>(3, 0.5);
  for (int k = 0; k < 11; ++k) heap = side_by_side(heap, heap);
  REQUIRE(heap.size() > 6000);
  // A tower under a mass a thousand times its own: sweeps take tens of thousands.
  const ContactProblem<D> problem = side_by_side(heap, column<D>(40, 0.5, 1000));

  const SolveOptions options{.tolerance = 1e-8, .max_sweeps = 200};
  Percussions<D> swept = zero_percussions(problem), p = swept;
  CHECK_FALSE(SweepSolver<D>(options).solve(problem, swept).converged);
  const SolveReport report = RunSolver<D>(options).solve(problem, p);
  CHECK(report.converged);
  CHECK(contact_error<D>(problem, p).relative <= options.tolerance);
  bool untouched = true;  // islands that were done
  for (std::size_t i = 0; i < heap.size(); ++i)
    untouched = untouched && p.contact[i] == swept.contact[i];
  CHECK(untouched);
}

// A heap whose lowest balls are tied to the world and to each other: sweeps have the rows among
// their unknowns, elimination does without them, and the answer is the same motion.
TEST_CASE_TEMPLATE("many contacts tied to joints are swept, and joints hold to rounding", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool bounded : {false, true}) {
    CAPTURE(bounded);
    ContactProblem<D> problem = random_problem<D>(
        {.bodies = 60, .contacts = 120, .balls = false, .friction = 0, .rows = 6});
    for (std::size_t k = 0; k < problem.rows.size(); ++k) {
      problem.rows[k].compliance = 0;
      if (bounded && k % 2 == 1) problem.rows[k].bounds = {k % 3 == 0 ? 0.0 : -0.05, 0.05};
    }
    const SolveOptions options{.tolerance = 1e-9, .max_sweeps = 20000};
    Percussions<D> swept = zero_percussions(problem), eliminated = swept;
    const SolveReport report = RunSolver<D>(options).solve(problem, swept);
    CHECK(report.converged);
    CHECK(report.error == contact_error<D>(problem, swept).relative);
    CHECK(JointSolver<D>(options, std::make_unique<ContactSolver<D>>(options))
              .solve(problem, eliminated)
              .converged);
    const Velocities<D> u = velocities<D>(problem, swept), v = velocities<D>(problem, eliminated);
    double apart = 0, left = 0;  // without friction velocities are unique
    for (std::size_t i = 0; i < problem.size(); ++i)
      apart = std::max(apart, (u.contact[i] - v.contact[i]).norm());
    for (std::size_t k = 0; k < problem.rows.size(); ++k) {
      CHECK(swept.row[k] >= problem.rows[k].bounds.lower);
      CHECK(swept.row[k] <= problem.rows[k].bounds.upper);
      if (problem.rows[k].is_bilateral()) left = std::max(left, std::abs(u.row[k]));
    }
    CHECK(apart <= 1e-6);
    CHECK(left <= 1e-12);
  }
}
