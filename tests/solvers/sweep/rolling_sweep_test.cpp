// SPDX-License-Identifier: Apache-2.0
// Sweeps of contacts with rolling and spinning friction, against the local law and plain
// Gauss–Seidel.
#include <doctest/doctest.h>

#include "solvers/climb/run_solver.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/sweep/sweep_solver.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

template <int D>
SolveReport swept(const ContactProblem<D>& problem, Percussions<D>& p, double tolerance,
                  SweepOptions sweep_options = {}) {
  return SweepSolver<D>({.tolerance = tolerance, .max_sweeps = 20000}, sweep_options)
      .solve(problem, p);
}

// Pairs of balls that touch nothing else, so that one sweep solves each.
template <int D>
ContactProblem<D> pairs_of_balls(int count, unsigned seed) {
  ContactProblem<D> problem = random_problem<D>({.bodies = 2 * count,
                                                 .contacts = count,
                                                 .reach = 2,
                                                 .fixed_every = 0,
                                                 .balls = true,
                                                 .seed = seed});
  auto& W = std::get<RigidOperator<D>>(problem.W);
  std::mt19937_64 random(seed + 1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < count; ++k) {
    ContactRow<D>& row = W.contacts[static_cast<std::size_t>(k)];
    row.a = 2 * k;
    row.b = 2 * k + 1;
    if (k % 3 == 0) W.bodies[static_cast<std::size_t>(row.a)] = {};
    problem.law[static_cast<std::size_t>(k)].mu = k % 17 == 0 ? 0 : unit(random);
  }
  return with_moments<D>(std::move(problem), 0.7, seed + 2);
}

}  // namespace

TEST_CASE_TEMPLATE("a sweep solves the wrench of balls as the law does", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  constexpr int count = 150'000;
  const ContactProblem<D> problem = pairs_of_balls<D>(count, 8);
  Percussions<D> p = zero_percussions(problem);
  const SolveReport report = swept(problem, p, 1e-13);
  CHECK(report.sweeps == 1);
  const RigidOperator<D>& W = rigid(problem);
  const Islands<D> islands(problem);
  double worst = 0, error = 0;
  int sliding = 0, rolling = 0, both = 0, open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const ContactRow<D>& row = W.contacts[i];
    const double unit = moment_unit<D>(row, islands.trace(i), W.bodies);
    const WrenchMat<D> block =
        wrench_block<D>(row, row.frame, unit, W.bodies[static_cast<std::size_t>(row.a)],
                        W.bodies[static_cast<std::size_t>(row.b)]);
    const RollingCoulomb<D> law(problem.law[i].mu, problem.rolling[i].friction, unit);
    const Wrench<D> q = wrench_of<D>(problem.b[i], problem.rolling[i].omega, unit);
    const Wrench<D> x = wrench_of<D>(p.contact[i], p.moment[i], 1 / unit);
    const double r = D / (2 * islands.trace(i));
    error = std::max(error, std::sqrt(law.residual_squared(block * x + q, x, r)) / q.norm());
    worst = std::max(worst, (x - law.solve(block, q)).norm() * block.trace() / q.norm());
    const bool slides = x.template segment<D - 1>(1).norm() >= (1 - 1e-9) * law.mu * x[0];
    const bool rolls = x.template tail<D - 1>().norm() >= (1 - 1e-9) * law.rolling * x[0];
    open += x[0] == 0;
    sliding += x[0] > 0 && slides && !rolls;
    rolling += x[0] > 0 && rolls && !slides;
    both += x[0] > 0 && rolls && slides;
  }
  MESSAGE("worst ", worst, ", residual ", error, "; open ", open, ", sliding ", sliding,
          ", rolling ", rolling, ", both ", both);
  CHECK(error <= 1e-12);
  CHECK(worst <= 1e-7);  // two that barely slide against each other are found to 1e-8
  for (const int cases : {open, sliding, rolling, both}) CHECK(cases > count / 100);
}

TEST_CASE_TEMPLATE("with moments every method ends where plain Gauss-Seidel ends", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {true, false}) {
    CAPTURE(balls);
    // Fewer contacts than freedoms: velocities are unique.
    const ContactProblem<D> problem = with_moments<D>(random_problem<D>({.bodies = 120,
                                                                         .contacts = 90,
                                                                         .balls = balls,
                                                                         .friction = 0.3,
                                                                         .rows = 10,
                                                                         .seed = 4}),
                                                      0.3);
    Percussions<D> reference = zero_percussions(problem);
    REQUIRE(Nsgs<D>({.tolerance = 1e-11, .max_sweeps = 50000}).solve(problem, reference).converged);
    double largest = 0;
    for (const Spin<D>& moment : reference.moment) largest = std::max(largest, moment.norm());
    CHECK(largest > 0.01);
    for (const Method method : {Method::automatic, Method::nsgs, Method::anderson, Method::nncg,
                                Method::momentum, Method::alternating}) {
      Percussions<D> p = zero_percussions(problem);
      const SolveReport report = swept(problem, p, 1e-11, {.method = method, .stall_share = 1});
      CAPTURE(report.method);
      CHECK(report.converged);
      CHECK(velocity_difference<D>(problem, p, reference) < 1e-7);
      CHECK(report.error == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(0.05));
    }
    // The ladder, which sweeps whole wrenches one by one.
    Percussions<D> p = zero_percussions(problem);
    CHECK(LadderSolver<D>(Method::automatic, {.tolerance = 1e-11, .max_sweeps = 50000})
              .solve(problem, p)
              .converged);
    CHECK(velocity_difference<D>(problem, p, reference) < 1e-7);
  }
}

TEST_CASE_TEMPLATE("moments have the same bits on any number of threads", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = with_moments<D>(
      random_problem<D>({.bodies = 6000, .contacts = 9000, .balls = D == 3, .hub = 5}), 0.2);
  std::vector<Percussions<D>> answers;
  for (const int count : {1, 2, 3}) {
    const ThreadCount threads(count);
    answers.push_back(zero_percussions(problem));
    RunSolver<D>({.tolerance = 1e-4, .max_sweeps = 200}).solve(problem, answers.back());
  }
  CHECK(same_bits(answers[0], answers[1]));
  CHECK(same_bits(answers[0], answers[2]));
}

TEST_CASE_TEMPLATE("a wrong moment is an error", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem =
      with_moments<D>(random_problem<D>({.bodies = 40, .contacts = 40, .balls = true}), 0.3);
  Percussions<D> p = zero_percussions(problem);
  REQUIRE(swept(problem, p, 1e-10).converged);
  REQUIRE(contact_error<D>(problem, p).relative <= 1e-10);
  const auto largest =
      std::max_element(p.moment.begin(), p.moment.end(),
                       [](const Spin<D>& a, const Spin<D>& b) { return a.norm() < b.norm(); });
  REQUIRE(largest->norm() > 0.01);
  *largest *= 0.99;
  CHECK(contact_error<D>(problem, p).relative > 1e-5);
  *largest *= 100;
  CHECK(contact_error<D>(problem, p).relative > 1e-2);
  into_cones<D>(problem, p);
  const auto i = static_cast<std::size_t>(largest - p.moment.begin());
  const RollingFriction& friction = problem.rolling[i].friction;
  CHECK(largest->norm() <=
        1.0000001 * std::hypot(friction.rolling, friction.spinning) * p.contact[i][0]);
}
