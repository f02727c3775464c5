// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/bilateral.hpp"

#include <doctest/doctest.h>

#include <random>

#include "solvers/climb/joint_solver.hpp"
#include "solvers/climb/run_solver.hpp"
#include "solvers/math/dense.hpp"

using namespace talus;

namespace {

std::mt19937 generator(5);

double number() { return std::normal_distribution<double>()(generator); }

template <int D>
MassBlock<D> random_mass() {
  MassBlock<D> mass;
  mass.inverse_mass = 0.5 + std::abs(number());
  for (int k = 0; k < spin_dim<D>; ++k) mass.inverse_inertia(k, k) = 0.5 + std::abs(number());
  return mass;
}

template <int D>
LinearRow<D> random_row(int a, int b) {
  LinearRow<D> row;
  row.a = a;
  row.b = b;
  for (int k = 0; k < D; ++k) row.direction[k] = number();
  for (int k = 0; k < spin_dim<D>; ++k) {
    row.moment_a[k] = number();
    row.moment_b[k] = number();
  }
  row.bias = number();
  return row;
}

// u = J v of all rows.
template <int D>
Eigen::VectorXd rates(const std::vector<LinearRow<D>>& rows, const std::vector<Twist<D>>& v) {
  Eigen::VectorXd u(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    u[static_cast<Eigen::Index>(i)] =
        relative_velocity<D>(rows[i], v[at(rows[i].a)], v[at(rows[i].b)]);
  return u;
}

// K by unit percussions, without the class under test.
template <int D>
Eigen::MatrixXd dense_matrix(const std::vector<LinearRow<D>>& rows,
                             const std::vector<MassBlock<D>>& mass) {
  Eigen::MatrixXd K(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Twist<D>> v(mass.size());
    apply_percussion<D>(rows[i], 1, mass, v);
    K.col(static_cast<Eigen::Index>(i)) = rates<D>(rows, v);
    K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += rows[i].compliance;
  }
  return K;
}

}  // namespace

TEST_CASE_TEMPLATE("rows that repeat each other get the multipliers of least norm", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<MassBlock<D>> mass(5);
    for (int i = 0; i < 4; ++i) mass[at(i)] = random_mass<D>();  // the last is the world
    std::vector<LinearRow<D>> rows;
    for (int i = 0; i < 4; ++i) rows.push_back(random_row<D>(i, i + 1));
    rows.push_back(rows[0]);
    rows.push_back(rows[2]);
    rows.back().direction *= -2;
    rows.back().moment_a *= -2;
    rows.back().moment_b *= -2;
    const Eigen::MatrixXd K = dense_matrix<D>(rows, mass);
    Eigen::VectorXd load(6);
    for (int i = 0; i < 6; ++i) load[i] = number();
    const Eigen::VectorXd r = K * load;

    BilateralSystem<D> system;
    system.factorise(rows, mass);
    const Eigen::VectorXd lambda = system.solve(r);
    CHECK((K * lambda - r).norm() <= 1e-12 * r.norm());
    const Eigen::VectorXd shortest = LeastSquares(K, 1e-10).solve(r);
    CHECK((lambda - shortest).norm() <= 1e-6 * shortest.norm());
  }
}

TEST_CASE("a hanging chain of ten thousand links is solved to rounding") {
  constexpr int links = 10000;
  std::vector<MassBlock<2>> mass(links + 1);
  std::vector<LinearRow<2>> rows;
  for (int i = 0; i < links; ++i) {
    mass[at(i)] = {1, SpinMat<2>(3.0)};
    for (int k = 0; k < 2; ++k) {
      LinearRow<2> row;
      row.a = i == 0 ? links : i - 1;
      row.b = i;
      row.direction = Vec<2>::Unit(k);
      row.moment_a = moment<2>({0, i == 0 ? 0 : -0.5}, row.direction);
      row.moment_b = moment<2>({0, 0.5}, row.direction);
      rows.push_back(row);
    }
  }
  BilateralSystem<2> system;
  system.factorise(rows, mass);
  // Every link falls by 1 m/s: the pin of link i carries all below it.
  Eigen::VectorXd r = Eigen::VectorXd::Zero(2 * links);
  r[1] = 1;
  const Eigen::VectorXd lambda = system.solve(r);
  double worst = 0;
  for (int i = 0; i < links; ++i)
    worst = std::max(worst, std::abs(lambda[2 * i + 1] - (links - i)));
  CHECK(worst <= 1e-7 * links);
}

// Random mechanisms with contacts and bounded rows: what the solver returns obeys every law, by the
// error that knows nothing of elimination.
TEST_CASE_TEMPLATE("contacts, joints, stops and brakes are solved together", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    constexpr int bodies = 5;
    RigidOperator<D> W;
    W.bodies.resize(bodies + 1);
    for (int i = 0; i < bodies; ++i) W.bodies[at(i)] = random_mass<D>();
    ContactProblem<D> problem;
    for (int i = 0; i < 3; ++i) {
      ContactRow<D> contact;
      contact.a = bodies;
      contact.b = i;
      contact.frame.setIdentity();
      for (int k = 0; k < D; ++k) {
        contact.arm_a[k] = 0;
        contact.arm_b[k] = 0.3 * number();
      }
      W.contacts.push_back(contact);
      Vec<D> b;
      for (int k = 0; k < D; ++k) b[k] = number();
      problem.b.push_back(b);
      problem.law.push_back({0.3});
    }
    problem.W = W;
    for (int i = 0; i + 1 < bodies; ++i) problem.rows.push_back(random_row<D>(i, i + 1));
    problem.rows.push_back(problem.rows[1]);  // redundant, bias and all
    LinearRow<D> stop = random_row<D>(1, 3), brake = random_row<D>(0, 4),
                 friction = random_row<D>(2, 3);
    stop.bounds.lower = 0;
    brake.bounds = {-0.1, 0.1};
    friction.friction = 0.2;
    friction.normal = 2;
    friction.normals = 1;
    for (const LinearRow<D>& row : {stop, brake, friction}) problem.rows.push_back(row);

    Percussions<D> p;
    p.contact.assign(3, Vec<D>::Zero());
    p.row.assign(problem.rows.size(), 0.0);
    RunSolver<D> solver({.tolerance = 1e-8, .max_sweeps = 20000});
    const SolveReport report = solver.solve(problem, p);
    CHECK(report.error == contact_error<D>(problem, p).relative);
    solved += report.converged;
    const std::size_t n = problem.rows.size();
    CHECK(p.row[n - 3] >= 0);
    CHECK(std::abs(p.row[n - 2]) <= 0.1 * (1 + 1e-12));
    CHECK(p.row[1] == doctest::Approx(p.row[4]).epsilon(1e-6));  // the two of least norm are equal
  }
  CHECK(solved == 200);
}
