// SPDX-License-Identifier: Apache-2.0
// Impacts against walls that move: what an observer who goes with the walls sees is an impact
// against walls at rest.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "solvers/impact/impact_outlook.hpp"
#include "solvers/impact/lzb.hpp"
#include "solvers/impact/poisson.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/impact/sliding_mode.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

struct Pair {
  ImpactProblem<2> resting, moving;
};

Pair random_pair(std::mt19937& random, int k) {
  std::uniform_real_distribution<double> uniform(0, 1), sign(-1, 1);
  Pair pair;
  const auto meets_a_wall = [](const ContactRow<2>& row) { return row.a == 0; };
  do {
    pair.resting = random_impact(random, 1 + k % 2, 1 + k % 3);
  } while (std::none_of(pair.resting.contacts.begin(), pair.resting.contacts.end(), meets_a_wall));
  for (ImpactCoefficients& c : pair.resting.coefficients)
    c = {.friction = 0.1 * uniform(random),
         .restitution = uniform(random),
         .tangential_restitution = k % 4 == 0 ? uniform(random) : 0};
  pair.moving = pair.resting;
  const Vec<2> V = 3 * Vec<2>(sign(random), sign(random));
  for (Twist<2>& twist : pair.moving.v_minus) twist.v += V;
  return pair;
}

double apart(const ImpactAnswer<2>& a, const ImpactAnswer<2>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.percussions.size(); ++i)
    worst = std::max(worst, (a.percussions[i] - b.percussions[i]).norm());
  return worst;
}

}  // namespace

TEST_CASE("under every law an impact is the same for who goes with the walls") {
  std::mt19937 random(60);
  std::uniform_real_distribution<double> uniform(0, 1);
  int letters = 0, given_up = 0;  // one of the two by an iteration that ends early
  for (int k = 0; k < 10000; ++k) {
    const auto [resting, moving] = random_pair(random, k);
    const QuasiVelocities still = quasi_velocities<2>(resting), gone = quasi_velocities<2>(moving);
    CHECK(gone.goes_with_walls);
    CHECK((still.w - gone.w).norm() <= 1e-13 * (1 + still.w.norm()));
    const Eigen::MatrixXd G = still.G();
    if (definiteness(G).smallest < 1e-2) continue;

    const auto same = [&](const ImpactAnswer<2>& a, const ImpactAnswer<2>& b, double tolerance) {
      given_up += a.solved != b.solved;
      if (a.solved && b.solved) CHECK(apart(a, b) <= tolerance);
      return a.solved && b.solved;
    };
    same(projection_impact<2>(resting, {}), projection_impact<2>(moving, {}), 1e-10);
    same(poisson_impact<2>(resting, {}), poisson_impact<2>(moving, {}), 1e-7);
    if (k % 20 == 0) same(lzb_impact<2>(resting, {}), lzb_impact<2>(moving, {}), 1e-5);
    MatrixLaw law;
    same(matrix_impact<2>(resting, law), matrix_impact<2>(moving, law), 1e-7);
    const Eigen::Index p = G.rows(), t = still.T.rows();
    const auto block = [&](Eigen::Index rows, Eigen::Index columns) {
      return Eigen::MatrixXd(
          Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); }));
    };
    law = {.E_nn = block(p, p), .E_tn = block(t, p), .E_tt = block(t, t)};
    letters += same(matrix_impact<2>(resting, law), matrix_impact<2>(moving, law), 1e-7);
  }
  CHECK(letters > 1000);
  CHECK(given_up < 10);
}

TEST_CASE("what is said beforehand of an impact is the same for who goes with the walls") {
  std::mt19937 random(61);
  int proved = 0, slide = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto [resting, moving] = random_pair(random, k);
    const ImpactOutlook a = impact_outlook<2>(resting, {}), b = impact_outlook<2>(moving, {});
    if (definiteness(a.G).smallest < 1e-2) continue;
    CHECK(a.admissible == b.admissible);
    if (std::isfinite(a.normal_ratio))
      CHECK(a.normal_ratio == doctest::Approx(b.normal_ratio).epsilon(1e-9));
    proved += a.admissible == Verdict::yes;
    const std::vector<double> xi(resting.size(), 1.0);
    const SlidingMode one = sliding_mode(resting, {}, xi), other = sliding_mode(moving, {}, xi);
    if (one.slip.cwiseAbs().minCoeff() < 1e-9) continue;
    CHECK(one.exists == other.exists);
    slide += one.exists;
  }
  CHECK(proved > 100);
  CHECK(slide > 100);
}

// One wall that turns as well, and a second one that moves by itself.
TEST_CASE("against walls that turn or move apart quasi-normal velocities are those of the gaps") {
  std::mt19937 random(62);
  std::uniform_real_distribution<double> sign(-1, 1);
  int follows = 0, cannot = 0;
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_pair(random, k).moving;
    impact.v_minus[0].omega[0] = sign(random);
    impact.bodies.emplace_back();
    impact.v_minus.push_back({Vec<2>(sign(random), sign(random)), Spin<2>(sign(random))});
    for (std::size_t i = 0; i < impact.size(); ++i) {
      ContactRow<2>& row = impact.contacts[i];
      if (row.a != 0) continue;
      if (i % 2 == 1) row.a = static_cast<int>(impact.bodies.size()) - 1;
      row.arm_a = Vec<2>(sign(random), sign(random));
    }
    const QuasiVelocities quasi = quasi_velocities<2>(impact);
    if (definiteness(quasi.G()).smallest < 1e-2) continue;
    const std::vector<Vec<2>> u = contact_velocities<2>(impact, impact.v_minus);
    double fastest = 0;
    for (const Vec<2>& x : u) fastest = std::max(fastest, x.norm());
    const Eigen::VectorXd slips = quasi.H_T.transpose() * quasi.w, q = quasi.normal();
    for (std::size_t i = 0; i < impact.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      CHECK(std::abs(quasi.norms[at] * q[at] - u[i][0]) <= 1e-9 * fastest);
      if (quasi.goes_with_walls) CHECK(std::abs(slips[at] - u[i][1]) <= 1e-7 * fastest);
    }
    (quasi.goes_with_walls ? follows : cannot)++;
    CHECK(impact_outlook<2>(impact, {}).walls_apart != quasi.goes_with_walls);
    // Aghili's law, φ̇⁺ = −E φ̇⁻ at what closes.
    const ImpactAnswer<2> answer = projection_impact<2>(impact, {});
    const std::vector<Vec<2>> after =
        contact_velocities<2>(impact, velocities_after<2>(impact, answer.percussions));
    for (std::size_t i = 0; i < impact.size(); ++i)
      if (u[i][0] < 0)
        CHECK(std::abs(after[i][0] + impact.coefficients[i].restitution * u[i][0]) <=
              1e-9 * fastest);
    // What contacts lose is what the energies lose, walls at rest in w.
    const ImpactProblem<2> later = [&] {
      ImpactProblem<2> then = impact;
      then.v_minus = velocities_after<2>(impact, answer.percussions);
      return then;
    }();
    const DelassusOperator<2> W = impact_delassus<2>(impact);
    const QuasiEnergies before = quasi_energies<2>(impact, W, impact.v_minus),
                        then = quasi_energies<2>(impact, W, later.v_minus);
    double work = 0;
    for (std::size_t i = 0; i < impact.size(); ++i)
      work += 0.5 * answer.percussions[i].dot(u[i] + after[i]);
    CHECK(then.normal - before.normal == doctest::Approx(work).epsilon(1e-7).scale(before.normal));
  }
  CHECK(follows > 1000);
  CHECK(cannot > 1000);
}
