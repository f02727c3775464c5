// SPDX-License-Identifier: Apache-2.0
// One moving body with thousands of contacts: a plate that carries balls, a drum they lie in. Such
// a hub has a copy in every block of the sweep (solvers/sweep/ordering.hpp).
#include <doctest/doctest.h>

#include "engine/geometry/space.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/sweep/sweep_solver.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

constexpr int floor_body = 0, hub = 1, first_ball = 2;

// Free flight: gravity for a step of g h = 1 along the last axis, and some disorder of the balls.
template <int D>
std::vector<Twist<D>> falling(std::size_t bodies, double disorder) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<Twist<D>> v(bodies);
  v[hub].v = -Vec<D>::Unit(D - 1);
  for (std::size_t i = first_ball; i < bodies; ++i) {
    for (int k = 0; k < D; ++k) v[i].v[k] = disorder * normal(random);
    for (int k = 0; k < spin_dim<D>; ++k) v[i].omega[k] = disorder * normal(random);
    v[i].v[D - 1] -= 1;
  }
  return v;
}

// Balls of mass 1 and radius 1/2 at the given places inside or on the hub. Every five that follow
// each other touch; with friction none do, because then the velocities would not be unique.
template <int D>
ContactProblem<D> carried_by(const MassBlock<D>& hub_mass, const std::vector<Vec<D>>& feet,
                             const std::vector<Vec<D>>& place, const std::vector<Vec<D>>& support,
                             double friction, double disorder) {
  RigidOperator<D> W;
  W.bodies.resize(place.size() + first_ball);
  W.bodies[hub] = hub_mass;
  const std::vector<Twist<D>> v = falling<D>(W.bodies.size(), disorder);
  ContactProblem<D> problem;
  const auto touch = [&](int a, int b, const Vec<D>& n, const Vec<D>& arm_a, const Vec<D>& arm_b) {
    const ContactRow<D> row = {a, b, frame_of_normal<D>(n), arm_a, arm_b};
    problem.b.push_back(
        relative_velocity<D>(row, v[static_cast<std::size_t>(a)], v[static_cast<std::size_t>(b)]));
    problem.law.push_back({friction});
    W.contacts.push_back(row);
  };
  for (const Vec<D>& foot : feet) touch(floor_body, hub, Vec<D>::Unit(D - 1), foot, foot);
  for (std::size_t i = 0; i < place.size(); ++i) {
    const int ball = static_cast<int>(i) + first_ball;
    W.bodies[i + first_ball].inverse_mass = 1;
    W.bodies[i + first_ball].inverse_inertia = SpinMat<D>::Identity() / 0.1;
    touch(hub, ball, support[i], place[i] - 0.5 * support[i], -0.5 * support[i]);
    if (i % 5 != 0 && friction == 0) {
      const Vec<D> n = (place[i] - place[i - 1]).normalized();
      touch(ball - 1, ball, n, 0.5 * n, -0.5 * n);
    }
  }
  problem.W = std::move(W);
  problem.velocity_floor = 1;
  return problem;
}

// A square plate of mass 5000 on four feet, rows of balls on it.
ContactProblem<3> plate(int side, double friction, double disorder) {
  const double half = side / 2.0;
  MassBlock<3> mass;
  mass.inverse_mass = 1 / 5000.0;
  mass.inverse_inertia = Vec<3>(1, 1, 0.5).asDiagonal() * (3 / (5000.0 * half * half));
  std::vector<Vec<3>> feet, place, support;
  for (const double x : {-half, half}) {
    for (const double y : {-half, half}) feet.push_back({x, y, 0});
  }
  for (int i = 0; i < side * side; ++i) {
    place.push_back({i % side - half, i / side - half, 0.5});
    support.push_back(Vec<3>::UnitZ());
  }
  return carried_by<3>(mass, feet, place, support, friction, disorder);
}

// A drum of mass 5000 on the floor, balls along the lower half of its inside.
template <int D>
ContactProblem<D> drum(int balls, double friction, double disorder) {
  const double R = balls / M_PI + 0.5;
  MassBlock<D> mass;
  mass.inverse_mass = 1 / 5000.0;
  mass.inverse_inertia = SpinMat<D>::Identity() / (5000.0 * R * R);
  const std::vector<Vec<D>> feet = {-R * Vec<D>::Unit(D - 1)};
  std::vector<Vec<D>> place, support;
  for (int i = 0; i < balls; ++i) {
    const double angle = M_PI * (i + 0.5) / balls;
    const Vec<D> inwards =
        std::cos(angle) * Vec<D>::Unit(0) + std::sin(angle) * Vec<D>::Unit(D - 1);
    place.push_back(-(R - 0.5) * inwards);
    support.push_back(inwards);
  }
  return carried_by<D>(mass, feet, place, support, friction, disorder);
}

template <int D>
void check_hub(const ContactProblem<D>& problem) {
  Sweep<D> sweep;
  sweep.load(problem, Islands(problem), zero_percussions(problem));
  REQUIRE(sweep.order().hubs().size() == 1);
  REQUIRE(sweep.order().copies().size() > 3);

  const SolveOptions options{.tolerance = 1e-10, .max_sweeps = 20000};
  Percussions<D> p = zero_percussions(problem);
  const SolveReport report = SweepSolver<D>(options).solve(problem, p);
  CHECK(report.converged);
  CHECK(report.error == contact_error<D>(problem, p).relative);

  for (const int count : {2, 3, 7}) {
    set_threads(count);
    Percussions<D> q = zero_percussions(problem);
    SweepSolver<D>(options).solve(problem, q);
    CHECK(same_bits(p, q));
  }
  set_threads(1);

  // The same velocities as by plain Gauss–Seidel, which knows no blocks and no copies.
  Percussions<D> reference = zero_percussions(problem);
  const SolveReport plain = Nsgs<D>(options).solve(problem, reference);
  REQUIRE(plain.converged);
  CHECK(velocity_difference<D>(problem, p, reference) < 1e-6);
}

}  // namespace

TEST_CASE("a plate carries five thousand balls") {
  for (const double friction : {0.0, 0.4}) {
    CAPTURE(friction);
    check_hub<3>(plate(71, friction, 0));
    check_hub<3>(plate(71, friction, 0.3));
  }
  // At rest the feet carry everything.
  const ContactProblem<3> problem = plate(71, 0.4, 0);
  Percussions<3> p = zero_percussions(problem);
  SweepSolver<3>({.tolerance = 1e-8, .max_sweeps = 20000}).solve(problem, p);
  double carried = 0;
  for (std::size_t i = 0; i < 4; ++i) carried += p.contact[i][0];
  CHECK(carried == doctest::Approx(5000 + 71 * 71).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("a drum moves with five thousand balls in it", Dim, Plane, Solid) {
  for (const double friction : {0.0, 0.4}) {
    CAPTURE(friction);
    check_hub<Dim::value>(drum<Dim::value>(5000, friction, 0.3));
  }
}
