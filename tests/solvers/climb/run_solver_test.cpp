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
