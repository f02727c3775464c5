// SPDX-License-Identifier: Apache-2.0
#include "tests/solvers/nsgs.hpp"

#include <doctest/doctest.h>

#include <random>

#include "solvers/problem/solver.hpp"

using namespace talus;

namespace {

// N equal balls of mass 1 and radius 1/2 in a vertical column on a fixed floor (body 0), loaded by
// gravity for one step of g h = 1.
template <int D>
ContactProblem<D> column(int count, double friction) {
  RigidOperator<D> W;
  W.bodies.resize(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 1; i < W.bodies.size(); ++i) {
    W.bodies[i].inverse_mass = 1;
    W.bodies[i].inverse_inertia = SpinMat<D>::Identity() / (0.4 * 0.25);
  }
  ContactProblem<D> problem;
  for (int k = 0; k < count; ++k) {
    ContactRow<D> row;
    row.a = k;
    row.b = k + 1;
    row.frame.setIdentity();  // normal along the first axis: "up"
    row.arm_a = 0.5 * Vec<D>::Unit(0);
    row.arm_b = -0.5 * Vec<D>::Unit(0);
    W.contacts.push_back(row);
    problem.b.push_back(k == 0 ? Vec<D>(-Vec<D>::Unit(0)) : Vec<D>(Vec<D>::Zero()));
    problem.law.push_back({friction});
  }
  problem.W = std::move(W);
  problem.velocity_floor = 1;
  return problem;
}

template <int D>
Percussions<D> zero(const ContactProblem<D>& problem) {
  return {std::vector<Vec<D>>(problem.size(), Vec<D>::Zero()),
          std::vector<double>(problem.rows.size(), 0.0)};
}

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

}  // namespace

TEST_CASE_TEMPLATE("each contact of a column carries the weight above it", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const ContactProblem<D> problem = column<D>(10, 0.5);
  Percussions<D> p = zero(problem);
  const SolveReport report = Nsgs<D>({.tolerance = 1e-12, .max_sweeps = 20000}).solve(problem, p);
  CHECK(report.converged);
  for (int k = 0; k < 10; ++k)
    CHECK(p.contact[static_cast<std::size_t>(k)][0] == doctest::Approx(10 - k).epsilon(1e-9));
}

TEST_CASE_TEMPLATE("both forms of a problem have the same velocities and the same error", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> rigid = column<D>(6, 0.3);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  auto& W = std::get<RigidOperator<D>>(rigid.W);
  for (ContactRow<D>& row : W.contacts) {
    for (int i = 0; i < D; ++i) {
      row.arm_a[i] = normal(random);
      row.arm_b[i] = normal(random);
    }
  }
  ContactProblem<D> delassus = rigid;
  delassus.W = assemble_delassus<D>(W);
  Percussions<D> p = zero(rigid);
  for (Vec<D>& contact : p.contact) {
    for (int i = 0; i < D; ++i) contact[i] = normal(random);
  }
  const Velocities<D> u = velocities<D>(rigid, p), v = velocities<D>(delassus, p);
  for (std::size_t i = 0; i < rigid.size(); ++i)
    CHECK((u.contact[i] - v.contact[i]).norm() < 1e-12);
  CHECK(contact_error<D>(rigid, p).relative ==
        doctest::Approx(contact_error<D>(delassus, p).relative).epsilon(1e-12));
}

TEST_CASE("a spring row alone gives the implicit oscillator") {
  // One body of mass 2 pulled to a fixed one by p = −S u⁺ − p₀ (S = 3, p₀ = 0.5), free velocity 1:
  // u⁺ = 1 + p/2, so u⁺ (1 + S/2) = 1 − p₀/2.
  ContactProblem<2> problem;
  RigidOperator<2> W;
  W.bodies.resize(2);
  W.bodies[1].inverse_mass = 0.5;
  problem.W = W;
  LinearRow<2> row;
  row.a = 0;
  row.b = 1;
  row.direction = {1, 0};
  row.moment_a.setZero();
  row.moment_b.setZero();
  row.compliance = 1.0 / 3;
  row.bias = 1 + 0.5 / 3;
  problem.rows.push_back(row);
  Percussions<2> p = zero(problem);
  CHECK(Nsgs<2>({.tolerance = 1e-14, .max_sweeps = 10}).solve(problem, p).converged);
  CHECK(1 + p.row[0] / 2 == doctest::Approx((1 - 0.25) / 2.5).epsilon(1e-14));
}

TEST_CASE("no contacts is a solved problem, and a NaN is not") {
  ContactProblem<3> empty;
  Percussions<3> p;
  CHECK(Nsgs<3>().solve(empty, p).converged);
  ContactProblem<3> broken = column<3>(2, 0.5);
  broken.b[0][1] = std::nan("");
  Percussions<3> q = zero(broken);
  CHECK_FALSE(Nsgs<3>({.tolerance = 1e-4, .max_sweeps = 5}).solve(broken, q).converged);
}
