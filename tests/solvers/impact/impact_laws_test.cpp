// SPDX-License-Identifier: Apache-2.0
// Poisson's law, restitution by a matrix, and Moreau's global projection they are held against.
#include <doctest/doctest.h>

#include <Eigen/LU>

#include "solvers/impact/impact_contacts.hpp"
#include "solvers/impact/impact_judgement.hpp"
#include "solvers/impact/poisson.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

// v⁺ = v⁻ − (1 + e) proj[N; v⁻] in the kinetic metric [B12, (42)]: the projection on the cone of
// the normals by Hildreth's alternating steps, until nothing moves.
std::vector<double> moreau_projection(const ImpactProblem<2>& impact, double e) {
  const std::vector<Vec<2>> u = contact_velocities<2>(impact, impact.v_minus);
  std::vector<Vec<2>> p(impact.size(), Vec<2>::Zero());
  for (int sweep = 0; sweep < 100000; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < impact.size(); ++i) {
      const double u_i = contact_velocities<2>(impact, velocities_after<2>(impact, p))[i][0];
      const double W_ii = diagonal_block<2>(impact.contacts[i], impact.bodies)(0, 0);
      const double next = std::max(0.0, p[i][0] - u_i / W_ii);
      change = std::max(change, std::abs(next - p[i][0]));
      p[i][0] = next;
    }
    if (change < 1e-14) break;
  }
  for (Vec<2>& percussion : p) percussion *= 1 + e;
  return speeds_of<2>(velocities_after<2>(impact, p));
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

std::vector<double> after(const ImpactProblem<2>& impact, const ImpactAnswer<2>& answer) {
  REQUIRE(answer.solved);
  return speeds_of<2>(velocities_after<2>(impact, answer.percussions));
}

ImpactJudgement judge(const ImpactProblem<2>& impact, const ImpactAnswer<2>& answer) {
  const std::vector<Vec<2>> u_minus = contact_velocities<2>(impact, impact.v_minus);
  const std::vector<Vec<2>> u_plus =
      contact_velocities<2>(impact, velocities_after<2>(impact, answer.percussions));
  std::vector<ImpactRecord<2>> records;
  for (std::size_t i = 0; i < impact.size(); ++i)
    records.push_back(
        {impact.coefficients[i].friction, answer.percussions[i], u_minus[i], u_plus[i]});
  return judge_impact<2>(records);
}

// A point of unit mass in a corner of two planes through the origin with these normals.
ImpactProblem<2> particle(const std::vector<Vec<2>>& normals, const Vec<2>& v,
                          const ImpactCoefficients& all) {
  ImpactProblem<2> impact;
  impact.bodies = {{}, {1.0, SpinMat<2>::Zero()}};
  impact.v_minus = {{}, {v, Spin<2>::Zero()}};
  for (const Vec<2>& n : normals) {
    ContactRow<2> row;
    row.a = 0;
    row.b = 1;
    row.frame.col(0) = n.normalized();
    row.frame.col(1) = Vec<2>(-row.frame(1, 0), row.frame(0, 0));
    row.arm_a.setZero();
    row.arm_b.setZero();
    impact.contacts.push_back(row);
  }
  impact.coefficients.assign(normals.size(), all);
  return impact;
}

}  // namespace

TEST_CASE("a diagonal matrix of one coefficient is Moreau's law, and gives B12's Example 1") {
  for (const double e : {0.0, 0.3, 1.0}) {
    for (const int n : {3, 5}) {
      const ImpactProblem<2> impact = struck_chain<2>(n, {.restitution = e});
      CHECK(worst_difference(after(impact, matrix_impact<2>(impact, {})),
                             moreau_projection(impact, e)) <= 1e-12);
    }
  }
  const ImpactProblem<2> elastic = struck_chain<2>(3, {.restitution = 1});
  CHECK(worst_difference(after(elastic, matrix_impact<2>(elastic, {})),
                         {-1.0 / 3, 2.0 / 3, 2.0 / 3}) <= 1e-14);
  const ImpactProblem<2> plastic = struck_chain<2>(3, {.restitution = 0});
  CHECK(worst_difference(after(plastic, matrix_impact<2>(plastic, {})),
                         {1.0 / 3, 1.0 / 3, 1.0 / 3}) <= 1e-14);
}

// Unequal masses and arrivals from both sides: still the same law.
TEST_CASE("Moreau's law and the projection on the normal cone agree on random chains") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> mass(0.3, 3), speed(-1, 1);
  for (int k = 0; k < 10000; ++k) {
    std::vector<double> m(5), v(5);
    for (double& x : m) x = mass(random);
    for (double& x : v) x = speed(random);
    std::sort(v.begin(), v.end(), std::greater<>());  // everything closes
    const double e = 0.5 + 0.5 * speed(random);
    const ImpactProblem<2> impact = ball_chain<2>(m, v, ImpactCoefficients{.restitution = e});
    CHECK(worst_difference(after(impact, matrix_impact<2>(impact, {})),
                           moreau_projection(impact, e)) <= 1e-11);
  }
}

TEST_CASE("the ellipse (52) of B12 holds the restitutions that conserve energy") {
  // q̇_norm⁺ = (e₁, e₂₁) for a unit arrival, and ½ q̇_normᵀG⁻¹q̇_norm is conserved where
  // e₁² + e₂₁² + e₁ e₂₁ = 1. (52) prints the product with a minus; (51)'s own G⁻¹ has it positive,
  // and so have the velocities: (1/3 − s, 1/3, 1/3 + s) with e₁ = e₂₁ = s keeps ½ for s² = 1/3.
  const ImpactProblem<2> impact = struck_chain<2>(3, {});
  const auto loss = [&](double e_1, double e_21) {
    MatrixLaw law;
    law.E_nn.resize(2, 2);
    law.E_nn << e_1, 0, e_21, 0.4;  // the last plays no role
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, law);
    const std::vector<Twist<2>> v = velocities_after<2>(impact, answer.percussions);
    const std::vector<Vec<2>> u = contact_velocities<2>(impact, v);
    CHECK(u[0][0] == doctest::Approx(e_1).epsilon(1e-12));
    CHECK(u[1][0] == doctest::Approx(e_21).epsilon(1e-12));
    return kinetic_energy<2>(impact, v) - 0.5;
  };
  for (int k = 0; k <= 10; ++k) {
    const double phi = 0.5 * M_PI * k / 10;
    const double radius = 1 / std::sqrt(1 + std::sin(phi) * std::cos(phi));
    const double e_1 = radius * std::cos(phi), e_21 = radius * std::sin(phi);
    CHECK(std::abs(loss(e_1, e_21)) <= 1e-12);
    CHECK(loss(0.9 * e_1, 0.9 * e_21) < -1e-2);
    CHECK(loss(1.1 * e_1, 1.1 * e_21) > 1e-2);
  }
}

TEST_CASE("a particle in a corner meets only the plane it closes on (B12, Example 2)") {
  // Normals (1, 0) and (0, 1); it arrives with (−1, ½): opens from the second.
  for (const double e : {0.0, 0.5, 1.0}) {
    const ImpactProblem<2> impact =
        particle({Vec<2>(1, 0), Vec<2>(0, 1)}, Vec<2>(-1, 0.5), {.restitution = e});
    for (const ImpactAnswer<2>& answer :
         {matrix_impact<2>(impact, {}), poisson_impact<2>(impact, {})}) {
      const Vec<2> v = velocities_after<2>(impact, answer.percussions)[1].v;
      CHECK((v - Vec<2>(e, 0.5)).norm() <= 1e-14);
      CHECK(answer.percussions[1].norm() == 0);
    }
  }
}

TEST_CASE("Frémond's matrix is the restitution matrix between velocities (B12, (45))") {
  const ImpactProblem<2> impact =
      ball_chain<2>({1, 3, 0.5, 2}, {2, 1, 0.5, 0}, ImpactCoefficients{});
  MatrixLaw law;
  law.E_nn.resize(3, 3);
  law.E_nn << 0.5, 0.1, 0.02, 0.2, 0.4, 0.1, 0.05, 0.3, 0.6;
  const QuasiVelocities quasi = quasi_velocities<2>(impact);
  const Eigen::MatrixXd F = fremond_matrix(law.E_nn, quasi.norms);
  const std::vector<Vec<2>> u_minus = contact_velocities<2>(impact, impact.v_minus);
  const ImpactAnswer<2> answer = matrix_impact<2>(impact, law);
  const std::vector<Vec<2>> u_plus =
      contact_velocities<2>(impact, velocities_after<2>(impact, answer.percussions));
  for (int i = 0; i < 3; ++i) {
    double expected = 0;
    for (int j = 0; j < 3; ++j) expected -= F(i, j) * u_minus[at(j)][0];
    CHECK(u_plus[at(i)][0] == doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("the four forms of the energy loss agree (B12, (46)-(49))") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 10000; ++k) {
    std::vector<double> m(4), v(4);
    for (double& x : m) x = 0.3 + uniform(random);
    for (double& x : v) x = uniform(random);
    std::sort(v.begin(), v.end(), std::greater<>());
    const ImpactProblem<2> impact = ball_chain<2>(m, v, ImpactCoefficients{});
    MatrixLaw law;
    law.E_nn = Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return 0.5 * uniform(random); });
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, law);
    const double loss = kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) -
                        kinetic_energy<2>(impact, impact.v_minus);

    const QuasiVelocities quasi = quasi_velocities<2>(impact);
    const Eigen::MatrixXd &E = law.E_nn, I = Eigen::MatrixXd::Identity(3, 3), G = quasi.G();
    const Eigen::VectorXd before = quasi.normal(), plus = -E * before;
    Eigen::VectorXd p_bar(3);
    for (int i = 0; i < 3; ++i) p_bar[i] = quasi.norms[i] * answer.percussions[at(i)][0];
    const Eigen::MatrixXd G_inverse = G.inverse();
    const double scale = kinetic_energy<2>(impact, impact.v_minus);
    CHECK(std::abs(0.5 * (plus + before).dot(p_bar) - loss) <= 1e-12 * scale);  // (46)
    CHECK(std::abs(0.5 * before.dot((E - I).transpose() * G_inverse * (E + I) * before) - loss) <=
          1e-12 * scale);  // (47)
    CHECK(std::abs(0.5 * before.dot((E.transpose() * G_inverse * E - G_inverse) * before) - loss) <=
          1e-12 * scale);  // (48)
    // (49), which as printed lacks the factor (I + E)⁻¹: ½ p̄ᵀ(I + E)⁻¹(2ξ − (I − E) G p̄), with
    // ξ = q̇_norm⁺ + E q̇_norm⁻. For q̇⁺ = q̇⁻ + G p̄ makes ξ = (I + E) q̇⁻ + G p̄, and so
    // q̇⁺ + q̇⁻ = 2 q̇⁻ + G p̄ = (I + E)⁻¹(2ξ − 2 G p̄ + (I + E) G p̄).
    const Eigen::VectorXd actual_plus = before + G * p_bar, xi = actual_plus + E * before;
    CHECK(std::abs(0.5 * p_bar.dot((I + E).inverse() * (2 * xi - (I - E) * G * p_bar)) - loss) <=
          1e-12 * scale);
    CHECK(judge(impact, answer).work == doctest::Approx(loss).epsilon(1e-12));
  }
}

TEST_CASE("with orthogonal constraints e² of the energy is left (B12, Proposition 3)") {
  for (const double e : {0.2, 0.7, 1.0}) {
    const ImpactProblem<2> impact =
        particle({Vec<2>(3, 4), Vec<2>(-4, 3)}, Vec<2>(-0.1, -1), {.restitution = e});
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
    CHECK(kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) ==
          doctest::Approx(e * e * kinetic_energy<2>(impact, impact.v_minus)).epsilon(1e-12));
  }
}

TEST_CASE("neighbours at a distance get their coefficient of the matrix") {
  const ImpactProblem<2> impact = struck_chain<2>(4, {.restitution = 0.9});
  const Eigen::MatrixXd E = normal_restitution<2>(impact, {.neighbours = {0.2, 0.05}});
  Eigen::MatrixXd expected(3, 3);
  expected << 0.9, 0.2, 0.05, 0.2, 0.9, 0.2, 0.05, 0.2, 0.9;
  CHECK((E - expected).norm() == 0);
  // Distance effects make the balls behind part from each other, which Moreau's law cannot.
  const std::vector<double> v =
      after(impact, matrix_impact<2>(impact, {.neighbours = {0.2, 0.05}}));
  CHECK(v[2] - v[1] == doctest::Approx(0.2).epsilon(1e-12));
  CHECK(v[3] - v[2] == doctest::Approx(0.05).epsilon(1e-12));
}

// Without friction and with one coefficient, Poisson's and Newton's laws are one.
TEST_CASE("Poisson's law is Newton's for one coefficient without friction") {
  for (const double e : {0.0, 0.4, 1.0}) {
    for (const int n : {2, 3, 6}) {
      const ImpactProblem<2> impact = struck_chain<2>(n, {.restitution = e});
      CHECK(worst_difference(after(impact, poisson_impact<2>(impact, {})),
                             moreau_projection(impact, e)) <= 1e-12);
    }
  }
}

TEST_CASE_TEMPLATE("a spinning ball leaves by rigid sliding theory (A10)", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  for (const SpinningBall& ball : spinning_balls) {
    const ImpactProblem<D> impact = spinning_ball_on_wall<D>(ball);
    for (const ImpactAnswer<D>& answer :
         {poisson_impact<D>(impact, {}), matrix_impact<D>(impact, {})}) {
      REQUIRE(answer.solved);
      const Twist<D> after_impact = velocities_after<D>(impact, answer.percussions)[1];
      CHECK(after_impact.v[D - 1] == doctest::Approx(0.1).epsilon(1e-10));
      CHECK(std::abs(after_impact.v[0]) == doctest::Approx(ball.v_after).epsilon(1e-10));
      CHECK(after_impact.omega.norm() == doctest::Approx(ball.spin_after).epsilon(1e-10));
    }
  }
}

// Kane's paradox: Newton's restitution with friction at a slanted body can make energy; Poisson's
// does not (Glocker and Pfeiffer: one contact, any friction).
TEST_CASE("Newton's law with friction can gain energy at a slanted rod, Poisson's does not") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int newton_gains = 0;
  for (int k = 0; k < 2000; ++k) {
    const double mu = 1.0 + uniform(random), e = 0.5 + 0.5 * uniform(random);
    const Vec<2> arm(uniform(random), -0.2 - std::abs(uniform(random)));
    Twist<2> v;
    v.v = {3 * uniform(random), -1 + uniform(random)};
    const ImpactProblem<2> impact =
        body_on_wall<2>({1, SpinMat<2>::Constant(3)}, arm, v, {.friction = mu, .restitution = e});
    if (contact_velocities<2>(impact, impact.v_minus)[0][0] > -1e-2) continue;
    const ImpactJudgement newton = judge(impact, matrix_impact<2>(impact, {}));
    newton_gains += newton.gain > 1e-9;
    CHECK(newton.kinematic(1e-12));
    CHECK(newton.kinetic(1e-12));
    const ImpactJudgement poisson = judge(impact, poisson_impact<2>(impact, {}));
    CHECK(poisson.gain <= 1e-12);
    CHECK(poisson.kinematic(1e-12));
    CHECK(poisson.kinetic(1e-12));
  }
  CHECK(newton_gains > 10);
}

TEST_CASE("friction on a disk is what a fine search finds") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 50; ++k) {
    const Mat<2> B{{uniform(random), uniform(random)}, {uniform(random), uniform(random)}};
    const Mat<2> W = B * B.transpose() + 0.1 * Mat<2>::Identity();
    const Vec<2> a(uniform(random), uniform(random));
    const double r = 0.5 * std::abs(uniform(random));
    const Vec<2> p = friction_on_disk<3>(W, a, r);
    CHECK(p.norm() <= r * (1 + 1e-14));
    const auto energy = [&](const Vec<2>& x) { return 0.5 * x.dot(W * x) + a.dot(x); };
    for (int i = 0; i < 100; ++i) {
      const double angle = 2 * M_PI * i / 100;
      for (const double s : {0.3, 0.7, 1.0})
        CHECK(energy(p) <= energy(s * r * Vec<2>(std::cos(angle), std::sin(angle))) + 1e-14);
    }
  }
}

// A resting contact that gravity brings back while another impact goes on, and an iteration that
// stopped at its tolerance: neither is a gain of energy, whatever is in the denominator.
TEST_CASE("an impact is judged on the scale of its own percussions and speeds") {
  const auto record = [](double p, double u_minus, double u_plus, double smooth = 0) {
    ImpactRecord<2> one{0, Vec<2>(p, 0), Vec<2>(u_minus, 0), Vec<2>(u_plus, 0)};
    one.smooth = Vec<2>(smooth, 0);
    return one;
  };
  // P·u⁻ is rounding at the contact that carries the percussion; the other one comes at 1 m/s.
  const std::vector<ImpactRecord<2>> rounding = {record(1, 1e-18, 1e-12), record(0, -1, 0)};
  CHECK(judge_impact<2>(rounding).gain <= 1e-11);
  // Opened at 1 cm/s, brought back by the 2 cm/s that gravity gives in the step, and stopped.
  const std::vector<ImpactRecord<2>> landing = {record(1, 0.01, 0, -0.02), record(1, -0.005, 0)};
  CHECK(judge_impact<2>(landing).gain == 0);
  const std::vector<ImpactRecord<2>> thrown = {record(1, 0.01, 0), record(1, -0.005, 0)};
  CHECK(judge_impact<2>(thrown).gain > 0.1);  // no force: a gain
  // Within the error of the velocities.
  const std::vector<ImpactRecord<2>> missed = {record(1, -0.1, -1e-4)};
  CHECK(judge_impact<2>(missed).closing == doctest::Approx(1e-3));
  CHECK(judge_impact<2>(missed, 2e-4).closing == 0);
  // Moreau's law holds u⁺ + ρ u⁻ ≥ 0: a contact that was opening at 1 m/s may close at ρ of that.
  std::vector<ImpactRecord<2>> opening = {{0, {1, 0}, {-1, 0}, {0.5, 0}},
                                          {0, {0.5, 0}, {1, 0}, {-0.5, 0}}};
  CHECK(judge_impact<2>(opening).closing == doctest::Approx(0.5));
  opening[1].restitution = 0.5;
  CHECK(judge_impact<2>(opening).closing == 0);
  opening[1].u_plus[0] = -0.6;
  CHECK(judge_impact<2>(opening).closing == doctest::Approx(0.1));
  opening[1].u_plus[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(judge_impact<2>(opening).closing));
  CHECK_FALSE(judge_impact<2>(opening).admissible(1));
  const std::vector<ImpactRecord<2>> gained = {record(1, -1e-5, 3e-5)};
  CHECK(judge_impact<2>(gained).gain == doctest::Approx(2));
  CHECK(judge_impact<2>(gained, 2e-5).gain == 0);
}
