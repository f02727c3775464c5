// SPDX-License-Identifier: Apache-2.0
// Problems with their bodies, solved without forming W, against the same problems assembled.
#include "solvers/problem/factored.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "io/fclib/fclib.hpp"
#include "solvers/climb/ladder.hpp"

using namespace talus;

namespace {

ContactProblem<3> stored(const char* name) {
  return contact_problem<3>(read_own_fclib(std::filesystem::path(TALUS_SOURCE_DIR) / "tests/fclib" /
                                           (std::string(name) + ".hdf5")))
      .problem;
}

ContactProblem<3> assembled(const ContactProblem<3>& problem) {
  ContactProblem<3> copy = problem;
  copy.W = assemble_delassus<3>(std::get<FactoredOperator<3>>(problem.W));
  return copy;
}

Percussions<3> nothing(const ContactProblem<3>& problem) {
  return {std::vector<Vec<3>>(problem.size(), Vec<3>::Zero()), {}};
}

}  // namespace

TEST_CASE("rigid bodies keep their factors, a finite-element body does not") {
  CHECK(std::holds_alternative<FactoredOperator<3>>(stored("Box_Stacks-i0122-82-5").W));
  CHECK(std::holds_alternative<FactoredOperator<3>>(stored("spheres-in-a-box-98-i10000-256-10").W));
  CHECK(std::holds_alternative<DelassusOperator<3>>(stored("LMGC_CubeH8-00046").W));
}

TEST_CASE("velocities and diagonal blocks are those of the assembled problem") {
  const ContactProblem<3> problem = stored("Box_Stacks-i0122-82-5");
  const ContactProblem<3> whole = assembled(problem);
  Percussions<3> p = nothing(problem);
  for (std::size_t i = 0; i < p.contact.size(); ++i) {
    const double x = static_cast<double>(i);
    p.contact[i] = {1 + std::sin(x), std::cos(2 * x), std::sin(3 * x)};
  }
  const auto u = velocities<3>(problem, p).contact, v = velocities<3>(whole, p).contact;
  const auto own = diagonal_blocks<3>(problem), expected = diagonal_blocks<3>(whole);
  for (std::size_t i = 0; i < p.contact.size(); ++i) {
    CHECK((u[i] - v[i]).norm() < 1e-11);
    CHECK((own[i] - expected[i]).norm() < 1e-13);
  }
}

TEST_CASE("sweeps without W do what sweeps on W do") {
  const ContactProblem<3> problem = stored("Box_Stacks-i0122-82-5");
  for (const Method method : {Method::nsgs, Method::anderson, Method::nncg, Method::alternating}) {
    LadderSolver<3> solver(method, {.tolerance = 1e-10, .max_sweeps = 10000});
    Percussions<3> p = nothing(problem), q = p;
    const SolveReport without = solver.solve(problem, p);
    const SolveReport with = solver.solve(assembled(problem), q);
    CHECK(without.converged);
    CHECK(with.converged);
    CHECK(without.method.ends_with("without W"));
    const auto u = velocities<3>(problem, p).contact, v = velocities<3>(problem, q).contact;
    for (std::size_t i = 0; i < u.size(); ++i) CHECK((u[i] - v[i]).norm() < 1e-9);
  }
}

TEST_CASE("what sweeps cannot finish, the ladder does") {
  const ContactProblem<3> problem = stored("spheres-in-a-box-98-i10000-256-10");
  Percussions<3> p = nothing(problem);
  const SolveReport report =
      LadderSolver<3>(Method::automatic, {.tolerance = 1e-9, .max_sweeps = 100000})
          .solve(problem, p);
  CHECK(report.converged);
  CHECK(contact_error<3>(problem, p).relative <= 1e-9);
}
