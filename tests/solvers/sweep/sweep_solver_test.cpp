// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/sweep_solver.hpp"

#include <doctest/doctest.h>

#include "solvers/math/parallel.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"
#include "tools/bench/packing.hpp"

using namespace talus;

namespace {

template <int D>
SolveReport solve(const ContactProblem<D>& problem, Percussions<D>& p, double tolerance,
                  SweepOptions sweep_options = {}) {
  return SweepSolver<D>({.tolerance = tolerance, .max_sweeps = 20000}, sweep_options)
      .solve(problem, p);
}

}  // namespace

TEST_CASE_TEMPLATE("no contacts, no work", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem;
  problem.W = RigidOperator<D>{};
  Percussions<D> p;
  const SolveReport report = solve(problem, p, 1e-8);
  CHECK(report.converged);
  CHECK(report.sweeps == 0);
}

TEST_CASE_TEMPLATE("one contact is solved by one sweep", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double friction : {0.0, 0.3, 100.0}) {
    const ContactProblem<D> problem = column<D>(1, friction);
    Percussions<D> p = zero_percussions(problem);
    const SolveReport report = solve(problem, p, 1e-12);
    CHECK(report.converged);
    CHECK(report.sweeps == 1);
    CHECK((p.contact[0] - Vec<D>::Unit(0)).norm() < 1e-14);
  }
}

TEST_CASE_TEMPLATE("each contact of a column carries the weight above it", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = column<D>(100, 0.5, 1000);
  Percussions<D> p = zero_percussions(problem);
  const SolveReport report = solve(problem, p, 1e-10);
  CHECK(report.converged);
  CHECK(report.error == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(1e-3));
  for (int k = 0; k < 100; ++k) {
    const double above = 99 - k + 1000;
    CHECK(p.contact[static_cast<std::size_t>(k)][0] == doctest::Approx(above).epsilon(1e-6));
  }
}

TEST_CASE_TEMPLATE("every method ends where plain Gauss-Seidel ends", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const double friction : {0.0, 0.3}) {
    // Fewer contacts than freedoms: velocities are unique.
    const ContactProblem<D> problem = random_problem<D>(
        {.bodies = 120, .contacts = 130, .friction = friction, .rows = 10, .seed = 4});
    Percussions<D> reference = zero_percussions(problem);
    REQUIRE(Nsgs<D>({.tolerance = 1e-11, .max_sweeps = 50000}).solve(problem, reference).converged);
    for (const Method method : {Method::automatic, Method::nsgs, Method::anderson, Method::nncg,
                                Method::momentum, Method::alternating}) {
      Percussions<D> p = zero_percussions(problem);
      const SolveReport report = solve(problem, p, 1e-11, {.method = method, .stall_share = 1});
      CAPTURE(report.method);
      CHECK(report.converged);
      CHECK(velocity_difference<D>(problem, p, reference) < 1e-7);
      CHECK(report.error == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(0.05));
    }
  }
}

TEST_CASE_TEMPLATE("the percussions returned lie in their cones", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = random_problem<D>({.bodies = 1500, .contacts = 4000});
  Percussions<D> p = zero_percussions(problem);
  SweepSolver<D>({.tolerance = 1e-12, .max_sweeps = 60}).solve(problem, p);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    CHECK((p.contact[i] - problem.law[i].project(p.contact[i])).norm() <
          1e-12 * (1 + p.contact[i].norm()));
  }
}

TEST_CASE("an island does not feel the others") {
  const ContactProblem<3> one = random_problem<3>({.bodies = 60, .contacts = 150, .seed = 9});
  ContactProblem<3> both = one;
  const ContactProblem<3> other = random_problem<3>({.bodies = 50, .contacts = 140, .seed = 10});
  auto& W = std::get<RigidOperator<3>>(both.W);
  const int shift = static_cast<int>(W.bodies.size());
  W.bodies.insert(W.bodies.end(), rigid(other).bodies.begin(), rigid(other).bodies.end());
  for (std::size_t i = 0; i < other.size(); ++i) {
    ContactRow<3> row = rigid(other).contacts[i];
    row.a += shift;
    row.b += shift;
    W.contacts.push_back(row);
    both.b.push_back(other.b[i]);
    both.law.push_back(other.law[i]);
  }
  // The same sweeps, without a stop that looks at the sum of all errors.
  Percussions<3> p = zero_percussions(one), q = zero_percussions(both);
  SweepSolver<3> solver({.tolerance = 0, .max_sweeps = 40});
  solver.solve(one, p);
  solver.solve(both, q);
  q.contact.resize(p.contact.size());
  CHECK(same_bits(p, q));
}

TEST_CASE_TEMPLATE("a solve gives the same bits on any number of threads", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem =
      random_problem<D>({.bodies = 6000, .contacts = 12000, .reach = 100, .rows = 40, .hub = 3001});
  Percussions<D> one = zero_percussions(problem);
  SweepSolver<D>({.tolerance = 1e-4, .max_sweeps = 60}).solve(problem, one);
  for (const int count : {2, 3, 7}) {
    set_threads(count);
    Percussions<D> many = zero_percussions(problem);
    SweepSolver<D>({.tolerance = 1e-4, .max_sweeps = 60}).solve(problem, many);
    CHECK(same_bits(one, many));
  }
  set_threads(1);
}

TEST_CASE("a solver used before gives the bits of a new one") {
  const ContactProblem<3> problem = random_problem<3>({.bodies = 300, .contacts = 800, .rows = 5});
  const ContactProblem<3> balls =
      random_problem<3>({.bodies = 2000, .contacts = 5000, .balls = true, .seed = 3});
  SweepSolver<3> used({.tolerance = 1e-5, .max_sweeps = 200});
  for (const ContactProblem<3>* next : {&problem, &balls, &problem}) {
    Percussions<3> p = zero_percussions(*next), q = p;
    used.solve(*next, p);
    SweepSolver<3>({.tolerance = 1e-5, .max_sweeps = 200}).solve(*next, q);
    CHECK(same_bits(p, q));
  }
}

TEST_CASE(
    "a plate on two thousand balls is carried by them, and its contacts are solved like any") {
  // Balls of radius 1/2 on the floor (body 0), in rows of 50; a plate of mass 5000 (body 1) on top.
  const int side = 50, balls = side * side;
  RigidOperator<3> W;
  W.bodies.resize(static_cast<std::size_t>(balls) + 2);
  W.bodies[1].inverse_mass = 1 / 5000.0;
  W.bodies[1].inverse_inertia = Vec<3>(1, 1, 0.5).asDiagonal() * (12 / (5000.0 * side * side));
  ContactProblem<3> problem;
  const Mat<3> frame{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};  // the normal is up, along z
  for (int i = 0; i < balls; ++i) {
    const int ball = i + 2;
    W.bodies[static_cast<std::size_t>(ball)].inverse_mass = 1;
    W.bodies[static_cast<std::size_t>(ball)].inverse_inertia = SpinMat<3>::Identity() / 0.1;
    const Vec<3> place(i % side - (side - 1) / 2.0, i / side - (side - 1) / 2.0, 0);
    const Vec<3> down = -0.5 * Vec<3>::UnitZ();
    W.contacts.push_back({0, ball, frame, place, down});
    problem.b.push_back({-1, 0, 0});  // g h = 1, one step of free fall
    W.contacts.push_back({ball, 1, frame, -down, place + down});
    problem.b.push_back({0, 0, 0});
  }
  problem.law.assign(problem.b.size(), {0.5});
  problem.W = std::move(W);
  problem.velocity_floor = 1;

  Percussions<3> p = zero_percussions(problem);
  SweepSolver<3> solver({.tolerance = 1e-8, .max_sweeps = 20000});
  const SolveReport report = solver.solve(problem, p);
  CHECK(report.converged);
  CHECK(report.error <= 1e-8);
  CHECK(report.error == contact_error<3>(problem, p).relative);
  double carried = 0;
  for (std::size_t i = 1; i < problem.size(); i += 2) carried += p.contact[i][0];
  CHECK(carried == doctest::Approx(5000).epsilon(1e-5));
}

TEST_CASE("a poured packing of balls is solved from cold") {
  const bench::Packing packing = bench::pour(8, 8, 120);
  const ContactProblem<3> problem = bench::cold_problem(packing, bench::Gaps::may_close);
  REQUIRE(problem.size() > 1000);
  Percussions<3> p = zero_percussions(problem);
  const SolveReport report = solve(problem, p, 1e-4);
  CHECK(report.converged);
  CHECK(contact_error<3>(problem, p).relative <= 1e-4);

  // From its own answer nothing is left to do.
  const SolveReport again = solve(problem, p, 1e-4);
  CHECK(again.sweeps == 1);
}

TEST_CASE("momentum suits a packing, Anderson's method a column; automatic takes what suits") {
  constexpr int limit = 3000;
  const auto sweeps = [](const ContactProblem<3>& problem, Method method) {
    Percussions<3> p = zero_percussions(problem);
    return SweepSolver<3>({.tolerance = 1e-3, .max_sweeps = limit},
                          {.method = method, .stall_share = 1})
        .solve(problem, p)
        .sweeps;
  };
  const ContactProblem<3> packing =
      bench::cold_problem(bench::pour(10, 8, 120), bench::Gaps::closed);
  const int carried = sweeps(packing, Method::momentum);
  REQUIRE(carried < limit);
  CHECK(carried < sweeps(packing, Method::anderson));
  CHECK(carried < 0.5 * sweeps(packing, Method::nsgs));
  CHECK(carried == sweeps(packing, Method::automatic));

  const ContactProblem<3> column = bench::ball_column(100, 1000);
  const int extrapolated = sweeps(column, Method::anderson);
  REQUIRE(extrapolated < limit);
  CHECK(extrapolated < 0.5 * sweeps(column, Method::momentum));
  CHECK(extrapolated == sweeps(column, Method::automatic));
}
