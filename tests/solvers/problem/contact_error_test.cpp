// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/contact_error.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

#include "solvers/climb/ladder.hpp"
#include "solvers/sweep/sweep_solver.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

// A ball of mass 1 on the floor with too small a percussion: r = D/(2 tr W), and e = |û_N| while
// p − r û stays inside of the cone.
TEST_CASE_TEMPLATE("the error of one ball by hand", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem = column<D>(1, 0.5);
  Percussions<D> p = zero_percussions(problem);
  p.contact[0][0] = 0.9;  // û_N = 0.9 − 1
  const ContactError error = contact_error<D>(problem, p);
  CHECK(error.velocity == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(error.relative == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(error.worst == doctest::Approx(0.1).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("an island is measured by its own scale, whatever moves elsewhere", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> slow = column<D>(3, 0.5);
  ContactProblem<D> fast = column<D>(3, 0.5);
  for (Vec<D>& b : fast.b) b *= 1e6;
  const ContactProblem<D> both = side_by_side(slow, fast);
  CHECK(Islands(both).count() == 2);

  Percussions<D> p = zero_percussions(both);
  for (std::size_t i = 0; i < 3; ++i) {
    p.contact[i][0] = 3.0 - static_cast<double>(i);
    p.contact[i + 3][0] = 1e6 * (3.0 - static_cast<double>(i));
  }
  CHECK(contact_error<D>(both, p).relative <= 1e-12);
  p.contact[1][0] *= 1.01;
  Percussions<D> alone{{p.contact.begin(), p.contact.begin() + 3}, {}};
  const ContactError expected = contact_error<D>(slow, alone);
  CHECK(expected.relative > 1e-3);
  CHECK(contact_error<D>(both, p).relative == doctest::Approx(expected.relative).epsilon(1e-9));
  CHECK(contact_error<D>(both, p).worst == doctest::Approx(expected.worst).epsilon(1e-9));
}

TEST_CASE_TEMPLATE("what opens by itself has no part in the scale", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem = column<D>(2, 0.5);
  Percussions<D> p = zero_percussions(problem);
  p.contact[0][0] = 1.9, p.contact[1][0] = 1;
  const ContactError expected = contact_error<D>(problem, p);

  // Another point of the upper ball, far above the floor and leaving it fast.
  auto& W = std::get<RigidOperator<D>>(problem.W);
  ContactRow<D> open = W.contacts[0];
  open.b = 2;
  W.contacts.push_back(open);
  problem.b.push_back(1e6 * Vec<D>::Unit(0));
  problem.law.push_back({0.5});
  p.contact.push_back(Vec<D>::Zero());
  CHECK(contact_error<D>(problem, p).relative == doctest::Approx(expected.relative).epsilon(1e-12));

  // A unilateral row (a slack rope, a distant stop) with a large bias.
  LinearRow<D> slack;
  slack.a = 0;
  slack.b = 2;
  slack.direction = Vec<D>::Unit(0);
  slack.moment_a = slack.moment_b = Spin<D>::Zero();
  slack.bias = 1e6;
  slack.bounds = {0, std::numeric_limits<double>::infinity()};
  problem.rows.push_back(slack);
  p.row.push_back(0);
  CHECK(contact_error<D>(problem, p).relative == doctest::Approx(expected.relative).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("a number that is none is an error that is none", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem =
      side_by_side(side_by_side(column<D>(2, 0.5), column<D>(2, 0.5)), column<D>(2, 0.5));
  for (std::size_t i = 0; i < problem.size(); ++i) {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Percussions<D> p = zero_percussions(problem);
      p.contact[i][0] = value;
      const ContactError error = contact_error<D>(problem, p);
      CHECK(!std::isfinite(error.relative));
      CHECK(!std::isfinite(error.worst));
      CHECK(!std::isfinite(error.velocity));
    }
  }
}

TEST_CASE_TEMPLATE("what moves nothing is in no island", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem = column<D>(2, 0.5);
  LinearRow<D> locked;  // the rotation of a body that cannot turn
  locked.a = 0;
  locked.b = 1;
  locked.direction = Vec<D>::Zero();
  std::get<RigidOperator<D>>(problem.W).bodies[1].inverse_inertia.setZero();
  locked.moment_a = locked.moment_b = Spin<D>::Unit(0);
  problem.rows.push_back(locked);
  const Islands islands(problem);
  CHECK(islands.count() == 1);
  CHECK(islands.of(0) == 0);
  CHECK(islands.of(1) == 0);
  CHECK(islands.of(2) == -1);
}

TEST_CASE_TEMPLATE("percussions are put into their cones to the last bit", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem =
      random_problem<D>({.bodies = 200, .contacts = 2000, .balls = false, .rows = 0});
  Percussions<D> p = zero_percussions(problem);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    Vec<D>& own = p.contact[i];
    for (int k = 0; k < D; ++k) own[k] = number(random);
    if (i % 2 == 0) continue;
    own[0] = std::abs(own[0]);  // a hair outside
    const Vec<D - 1> tangential = own.template tail<D - 1>();
    own.template tail<D - 1>() =
        problem.law[i].mu * own[0] * (1 + 1e-15) / tangential.norm() * tangential;
  }
  p.contact[1] = -1e-19 * Vec<D>::Unit(0);
  into_cones<D>(problem, p);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    CHECK(p.contact[i][0] >= 0);
    CHECK(p.contact[i].template tail<D - 1>().norm() <= problem.law[i].mu * p.contact[i][0]);
  }
}

TEST_CASE_TEMPLATE("every solver's answer lies in its cones exactly", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem =
      random_problem<D>({.bodies = 60, .contacts = 150, .balls = false, .rows = 0});
  std::vector<std::unique_ptr<Solver<D>>> solvers;
  const SolveOptions options{.tolerance = 1e-6, .max_sweeps = 2000};
  solvers.push_back(std::make_unique<Nsgs<D>>(options));
  solvers.push_back(std::make_unique<SweepSolver<D>>(options));
  for (const MethodName& entry : method_names())
    solvers.push_back(std::make_unique<LadderSolver<D>>(entry.method, options));
  for (const auto& solver : solvers) {
    Percussions<D> p = zero_percussions(problem);
    const SolveReport report = solver->solve(problem, p);
    CAPTURE(report.method);
    for (std::size_t i = 0; i < problem.size(); ++i) {
      CHECK(p.contact[i][0] >= 0);
      CHECK(p.contact[i].template tail<D - 1>().norm() <= problem.law[i].mu * p.contact[i][0]);
    }
    CHECK(report.error == doctest::Approx(contact_error<D>(problem, p).relative).epsilon(1e-6));
  }
}
