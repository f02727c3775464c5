// SPDX-License-Identifier: Apache-2.0
// Contacts that yield under their percussion: û = (W + C) p + b in every form and by every way.
#include <doctest/doctest.h>

#include "solvers/climb/ladder.hpp"
#include "solvers/climb/run_solver.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/problem/block_problem.hpp"
#include "solvers/sweep/sweep_solver.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

template <int D>
ContactProblem<D> yielding_problem(bool balls, int contacts, int rows = 0) {
  ContactProblem<D> problem = random_problem<D>(
      {.bodies = 100, .contacts = contacts, .balls = balls, .friction = 0.3, .rows = rows});
  std::vector<ContactRow<D>>& all = std::get<RigidOperator<D>>(problem.W).contacts;
  for (std::size_t i = 0; i < all.size(); ++i)  // some stay rigid
    if (i % 5 != 0) all[i].compliance = {0.2 + 0.01 * static_cast<double>(i % 7), 0.5};
  return problem;
}

}  // namespace

TEST_CASE_TEMPLATE("a ball on a spring carries what its compliance asks for", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem = column<D>(1, 0.5);
  std::get<RigidOperator<D>>(problem.W).contacts[0].compliance = {3, 7};
  for (const bool general : {false, true}) {
    Percussions<D> p = zero_percussions(problem);
    Sweep<D> sweep;
    sweep.allow_balls(!general);
    sweep.load(problem, Islands(problem), p);
    sweep.sweep(0, Direction::forward);
    sweep.store(p);
    CHECK((p.contact[0] - 0.25 * Vec<D>::Unit(0)).norm() < 1e-15);  // (1/m + C) p = 1
  }
}

TEST_CASE_TEMPLATE("velocities with compliance are those of the assembled W", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = yielding_problem<D>(false, 200);
  ContactProblem<D> assembled = problem;
  assembled.W = assemble_delassus<D>(rigid(problem));
  const Percussions<D> p = random_percussions<D>(problem);
  const Velocities<D> u = velocities<D>(problem, p), v = velocities<D>(assembled, p);
  const BlockProblem<D> blocks = unsplit<D>(problem);
  const std::vector<Mat<D>> diagonal = diagonal_blocks<D>(problem),
                            other = diagonal_blocks<D>(assembled);
  std::vector<Vec<D>> w;
  blocks.velocities(p.contact, w);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    CHECK((u.contact[i] - v.contact[i]).norm() < 1e-11);
    CHECK((u.contact[i] - w[i]).norm() < 1e-11);
    CHECK((diagonal[i] - other[i]).norm() < 1e-12);
  }
}

// W + C is positive definite, so that percussions are unique as long as friction is small.
TEST_CASE_TEMPLATE("every way to the solution with compliance ends at the same percussions", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    for (const int rows : {0, 6}) {
      const ContactProblem<D> problem = yielding_problem<D>(balls, 150, rows);
      Percussions<D> reference = zero_percussions(problem);
      REQUIRE(
          Nsgs<D>({.tolerance = 1e-12, .max_sweeps = 50000}).solve(problem, reference).converged);
      const auto check = [&](auto&& solver, const char* name) {
        CAPTURE(name);
        CAPTURE(balls);
        CAPTURE(rows);
        Percussions<D> p = zero_percussions(problem);
        CHECK(solver.solve(problem, p).converged);
        CHECK(contact_error<D>(problem, p).relative <= 1e-9);
        CHECK(velocity_difference<D>(problem, p, reference) < 1e-6);
      };
      const SolveOptions options{.tolerance = 1e-9, .max_sweeps = 20000};
      for (const Method method :
           {Method::nsgs, Method::anderson, Method::momentum, Method::alternating}) {
        check(SweepSolver<D>(options, {.method = method, .stall_share = 1}), "sweeps");
      }
      choose_kernels(portable_kernels());
      check(SweepSolver<D>(options, {.method = Method::nsgs}), "portable sweeps");
      choose_kernels(nullptr);
      check(LadderSolver<D>(Method::automatic, options), "ladder");
      check(LadderSolver<D>(Method::newton, options), "newton");
      check(RunSolver<D>(options), "run");
    }
  }
}

TEST_CASE("sweeps with compliance give the same bits with any kernels and threads") {
  for (const bool balls : {false, true}) {
    const ContactProblem<3> problem = yielding_problem<3>(balls, 250);
    const auto solve = [&] {
      Percussions<3> p = zero_percussions(problem);
      SweepSolver<3>({.tolerance = 1e-6, .max_sweeps = 500}).solve(problem, p);
      return p;
    };
    const Percussions<3> once = solve();
    for (const WideKernels* kernels : {portable_kernels(), avx2_kernels(), avx512_kernels()}) {
      choose_kernels(kernels);
      CHECK(same_bits<3>(once, solve()));
    }
    choose_kernels(nullptr);
    set_threads(3);
    CHECK(same_bits<3>(once, solve()));
    set_threads(1);
  }
}

// Contacts with cohesion, whose cone is cut off at p_N = 0, some of them pulled apart.
template <int D>
ContactProblem<D> cohesive_problem(int contacts) {
  ContactProblem<D> problem =
      random_problem<D>({.bodies = 100, .contacts = contacts, .balls = false, .friction = 0.3});
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (i % 4 != 0) problem.law[i].cohesion = 0.05 * static_cast<double>(1 + i % 3);
  std::vector<ContactRow<D>>& all = std::get<RigidOperator<D>>(problem.W).contacts;
  for (ContactRow<D>& row : all) row.compliance = {0.2, 0.3};  // percussions are unique
  return problem;
}

TEST_CASE_TEMPLATE("every way to the solution with cohesion ends at the same percussions", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = cohesive_problem<D>(200);
  Percussions<D> reference = zero_percussions(problem);
  REQUIRE(Nsgs<D>({.tolerance = 1e-12, .max_sweeps = 50000}).solve(problem, reference).converged);
  int held = 0;
  for (std::size_t i = 0; i < problem.size(); ++i)
    held += reference.contact[i][0] == 0 && !reference.contact[i].isZero(0);
  CHECK(held > 5);
  const auto check = [&](auto&& solver, const char* name) {
    CAPTURE(name);
    Percussions<D> p = zero_percussions(problem);
    const SolveReport report = solver.solve(problem, p);
    CHECK(report.converged);
    CHECK(report.error == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(0.01));
    CHECK(velocity_difference<D>(problem, p, reference) < 1e-6);
  };
  const SolveOptions options{.tolerance = 1e-9, .max_sweeps = 20000};
  check(SweepSolver<D>(options, {.method = Method::nsgs}), "sweeps");
  check(SweepSolver<D>(options, {.method = Method::anderson}), "anderson");
  choose_kernels(portable_kernels());
  check(SweepSolver<D>(options, {.method = Method::nsgs}), "portable sweeps");
  choose_kernels(nullptr);
  for (const Method method : {Method::automatic, Method::newton, Method::admm})
    check(LadderSolver<D>(method, options), "ladder");
  check(RunSolver<D>(options), "run");
}
