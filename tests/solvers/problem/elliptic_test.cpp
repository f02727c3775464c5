// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/elliptic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "solvers/climb/ladder.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

Mat<3> random_block(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Mat<3> A;
  for (double& entry : A.reshaped()) entry = normal(random);
  return A * A.transpose() + 0.1 * Mat<3>::Identity();
}

// The law in its own words, without De Saxcé's term: no approach, no tension, p_T in the ellipse
// p_N D₁, and among all of the ellipse the p_T that dissipates most. What is wanting, at most.
double violation(const EllipticFriction& f, const Vec<3>& p, const Vec<3>& u) {
  const Vec<2> A(f.mu_1, f.mu_2), p_T = p.tail<2>(), u_T = u.tail<2>();
  const double most = -p[0] * A.cwiseProduct(u_T).norm();  // min over the ellipse of p_T·u_T
  return std::max({-u[0], -p[0], std::abs(p[0] * u[0]), p_T.cwiseQuotient(A).norm() - p[0],
                   p_T.dot(u_T) - most});
}

}  // namespace

TEST_CASE("one elliptic contact opens, sticks or slides as the law says") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> coefficient(0.05, 1.5);
  int open = 0, stick = 0, slide = 0;
  for (int k = 0; k < 20000; ++k) {
    const EllipticFriction friction{coefficient(random), coefficient(random)};
    const Mat<3> W = random_block(random);
    const Vec<3> q(normal(random) - 0.5, normal(random), normal(random));
    const Vec<3> p = solve_elliptic(friction, W, q), u = W * p + q;
    REQUIRE(violation(friction, p, u) < 1e-9 * (1 + q.norm() + p.norm()));
    ++(p.norm() == 0 ? open : u.tail<2>().norm() < 1e-9 ? stick : slide);
  }
  CHECK(std::min({open, stick, slide}) > 1000);
}

TEST_CASE("a circle is Coulomb's law, and a turned sliding direction is not along the velocity") {
  std::mt19937 random(8);
  const Mat<3> W = random_block(random);
  const Vec<3> q(-1, 2, -1);
  CHECK((solve_elliptic({0.3, 0.3}, W, q) - Coulomb<3>{0.3}.solve(W, q)).norm() < 1e-13);

  // A particle sliding at 45° with μ₂ = 2 μ₁: friction is A² û_T / ‖A û_T‖, nearer to t₂.
  const Vec<3> p = solve_elliptic({0.1, 0.2}, Mat<3>::Identity(), {-1, -10, -10});
  const Vec<3> u = p + Vec<3>(-1, -10, -10);
  CHECK(p[0] == doctest::Approx(1));
  const double size = std::hypot(0.1 * u[1], 0.2 * u[2]);
  CHECK(p[1] == doctest::Approx(-0.01 * u[1] / size).epsilon(1e-12));
  CHECK(p[2] == doctest::Approx(-0.04 * u[2] / size).epsilon(1e-12));
}

TEST_CASE("without friction nothing is stretched") {
  const Vec<3> p = solve_elliptic({0, 0}, Mat<3>::Identity(), {-2, 1, 1});
  CHECK(p == Vec<3>(2, 0, 0));
}

TEST_CASE("many elliptic contacts obey the law, in rigid and in Delassus form alike") {
  const ContactProblem<3> rigid = random_problem<3>({.bodies = 40, .contacts = 90});
  std::vector<EllipticFriction> friction;
  for (std::size_t i = 0; i < rigid.size(); ++i)
    friction.push_back({0.1 + 0.05 * static_cast<double>(i % 7), 0.4});
  ContactProblem<3> assembled = rigid;
  assembled.W = assemble_delassus(std::get<RigidOperator<3>>(rigid.W));
  std::vector<std::vector<Vec<3>>> velocities;
  for (const ContactProblem<3>& problem : {rigid, assembled}) {
    const EllipticProblem elliptic(problem, friction);
    Percussions<3> p;
    p.contact.assign(problem.size(), Vec<3>::Zero());
    REQUIRE(LadderSolver<3>(Method::automatic, {.tolerance = 1e-12})
                .solve(elliptic.stretched(), p)
                .converged);
    velocities.push_back(elliptic.velocities(p));
    const Percussions<3> found = elliptic.percussions(p);
    const auto u = talus::velocities<3>(problem, found).contact;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      CHECK((u[i] - velocities.back()[i]).norm() < 1e-9);
      CHECK(violation(friction[i], found.contact[i], u[i]) < 1e-8);
    }
    CHECK(elliptic.stretch(found).contact[0].isApprox(p.contact[0], 1e-14));
  }
  for (std::size_t i = 0; i < rigid.size(); ++i)
    CHECK((velocities[0][i] - velocities[1][i]).norm() < 1e-7);
}
