// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_conditions.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "solvers/impact/impact_bounds.hpp"
#include "solvers/impact/impact_outlook.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

Eigen::MatrixXd two_by_two(double a, double b, double c, double d) {
  Eigen::MatrixXd A(2, 2);
  A << a, b, c, d;
  return A;
}

Verdict energetic(double a, double e_1, double e_2) {
  return restitution_conditions(two_by_two(1, a, a, 1), two_by_two(e_1, 0, 0, e_2))
      .energetic.copositive(1e-12);
}

}  // namespace

// (1 − a²) e₁² e₂² − e₁² − e₂² + 2 a² e₁ e₂ + 1 − a² = 0 for a > 0; for a < 0, as for balls in a
// row, all coefficients up to 1 will do.
TEST_CASE("two contacts are energetically consistent up to the boundary of B12's Remark 6") {
  for (const double a : {0.2, 0.5, 0.9}) {
    for (const double e_1 : {0.0, 0.3, 0.7}) {
      // a quadratic in e₂
      const double A = (1 - a * a) * e_1 * e_1 - 1, B = 2 * a * a * e_1, C = 1 - a * a - e_1 * e_1;
      if (C < 0) continue;
      const double e_2 = (-B - std::sqrt(B * B - 4 * A * C)) / (2 * A);
      CAPTURE(a);
      CAPTURE(e_1);
      CHECK(energetic(a, e_1, e_2 - 1e-6) == Verdict::yes);
      CHECK(energetic(a, e_1, e_2 + 1e-6) == Verdict::no);
      CHECK(energetic(-a, e_1, 1) == Verdict::yes);
      CHECK(energetic(-a, e_1, 1 + 1e-6) == Verdict::no);
    }
  }
}

TEST_CASE(
    "the cheap bounds imply what they promise, and a scalar coefficient passes them exactly") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int by_sigma = 0, by_norm = 0;
  for (int k = 0; k < 300; ++k) {
    Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(3, 5, [&] { return uniform(random); });
    B.rowwise().normalize();
    const Eigen::MatrixXd G = B * B.transpose();
    const double size = 0.6 * std::abs(uniform(random));
    const Eigen::MatrixXd E =
        Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return size * uniform(random); });
    const RestitutionConditions c = restitution_conditions(G, E);
    if (c.sigma <= c.sigma_bound) {
      ++by_sigma;
      CHECK(c.smallest_loss >= -1e-12);
    }
    if (c.norm < c.norm_bound) {
      ++by_norm;
      CHECK(c.smallest_loss > 0);
    }
    if (c.smallest_loss >= 0) CHECK(c.energetic.lower >= -1e-12);
    // Proposition 5: E = e I is symmetric in the sense asked for, and |e| ≤ 1 decides.
    for (const double e : {0.9, 1.1}) {
      const RestitutionConditions scalar =
          restitution_conditions(G, e * Eigen::MatrixXd::Identity(3, 3));
      CHECK(scalar.symmetric);
      CHECK(scalar.spectral_radius == doctest::Approx(e));
      CHECK((scalar.smallest_loss >= 0) == (e <= 1));
    }
  }
  CHECK(by_sigma > 10);
  CHECK(by_norm > 10);
}

TEST_CASE("Proposition 8 tells admissible restitution matrices of three balls") {
  const QuasiVelocities quasi = quasi_velocities<2>(struck_chain<2>(3, {}));
  const RestitutionConditions moreau =
      restitution_conditions(quasi.G(), Eigen::MatrixXd::Identity(2, 2));
  CHECK(moreau.kinematic);
  CHECK(moreau.kinetic);
  CHECK(moreau.energetic.lower >= -1e-12);
  CHECK_FALSE(restitution_conditions(quasi.G(), two_by_two(0.5, 0, -0.1, 0.5)).kinematic);
  // e₁ = e₂₁ = 1 is outside the ellipse of (52): it gains energy.
  CHECK(restitution_conditions(quasi.G(), two_by_two(1, 0, 1, 0)).energetic.upper < -0.1);
}

// With a given energy D, E = −(the frictionless tangential part) and any normal part.
TEST_CASE("Proposition 9 bounds restitution with tangential blocks") {
  Eigen::MatrixXd D = Eigen::MatrixXd::Identity(3, 3);
  D(0, 1) = D(1, 0) = 0.3;
  Eigen::MatrixXd E = 0.2 * Eigen::MatrixXd::Identity(3, 3);
  E(2, 0) = 0.1;
  const FullRestitutionConditions small = full_restitution_conditions(D, E);
  CHECK(small.norm < small.norm_bound);
  CHECK(small.smallest_loss > 0);
  CHECK(full_restitution_conditions(D, 1.2 * Eigen::MatrixXd::Identity(3, 3)).smallest_loss < 0);
}

// A particle on a line: (83), and (84) holds wherever Theorem 2 promises it.
TEST_CASE("Theorem 2 gives the bounds of B12's Example 5, and they are safe") {
  for (const double m : {1.0, 3.0}) {
    for (const double e : {0.0, 0.2, 0.5}) {
      for (const double mu : {0.1, 0.3, 0.6}) {
        SlidingImpact impact;
        impact.G = Eigen::MatrixXd::Identity(1, 1);
        impact.n_H = Eigen::MatrixXd::Zero(1, 1);
        impact.t_H = Eigen::MatrixXd::Constant(1, 1, 1 / std::sqrt(m));
        impact.D_t = Eigen::MatrixXd::Identity(1, 1);
        impact.mu_bar = Eigen::VectorXd::Constant(1, mu * std::sqrt(m));
        impact.E_nn = Eigen::MatrixXd::Constant(1, 1, e);
        const SlidingConditions c = sliding_conditions(impact);
        CHECK(c.lemma_1);
        CHECK(c.smallest_M == doctest::Approx(1 - e * e));
        CHECK(c.largest_K == doctest::Approx(mu * mu * (1 + e) * (1 + e)));
        CHECK(c.coupling_small == (1 - e > mu * mu * (1 + e)));
        if (!c.coupling_small) continue;
        CHECK(c.normal_ratio == doctest::Approx(2 * mu / (1 - e - mu * mu * (1 + e))));
        for (const double factor : {1.0, 2.0, 10.0}) {
          const double y = -1, x = 1 / (factor * c.normal_ratio);
          for (const double xi : {-1.0, 1.0}) {
            const double loss = 0.5 * m * (1 + e) *
                                ((e - 1 + mu * mu * (1 + e)) * y + 2 * mu * xi * x) * y;  // (84)
            CHECK(loss <= 1e-12);
          }
        }
      }
    }
  }
}

TEST_CASE("Aghili's condition is the sign of the energy a projection can gain") {
  const ImpactProblem<2> impact = struck_chain<2>(3, {});
  const QuasiVelocities quasi = quasi_velocities<2>(impact);
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(quasi.w.size(), quasi.w.size());
  const Eigen::MatrixXd A = quasi.H_N.transpose();
  const Eigen::MatrixXd Q = loss_metric(ObliqueProjection(M, A), M);
  CHECK(projection_gain(Q, 0.8 * Eigen::MatrixXd::Identity(2, 2)) <= 0);
  CHECK(projection_gain(Q, 1.1 * Eigen::MatrixXd::Identity(2, 2)) > 0);
  // Unequal coefficients, both below one, can gain: the first elastic, the second plastic.
  CHECK(projection_gain(Q, two_by_two(1, 0, 0, 0.2)) > 0);
}

// What the conditions promise of an impact is what Newton's law with friction then does, at a rod
// that strikes with one end and at balls in a row; and they promise something.
TEST_CASE("an impact that is proved to be admissible gains no energy") {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto gain = [](const ImpactProblem<2>& impact, const MatrixLaw& law) {
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, law);
    REQUIRE(answer.solved);
    return kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) -
           kinetic_energy<2>(impact, impact.v_minus);
  };
  int proved = 0, gains = 0;
  for (int k = 0; k < 6000; ++k) {
    const double wild = k % 2 == 0 ? 0.3 : 1;  // every other one beyond what can be proved
    const ImpactCoefficients c{.friction = wild * (1 + uniform(random)),
                               .restitution = 0.5 * wild * (1 + uniform(random))};
    Twist<2> v;
    v.v = {3 * wild * uniform(random), -1};
    const ImpactProblem<2> rod =
        body_on_wall<2>({1, SpinMat<2>::Constant(3)}, Vec<2>(wild * uniform(random), -wild), v, c);
    const bool gained = gain(rod, {}) > 1e-12;
    gains += gained;
    if (impact_outlook<2>(rod, {}).admissible != Verdict::yes) continue;
    ++proved;
    CHECK_FALSE(gained);
  }
  CHECK(proved > 100);
  CHECK(gains > 10);

  int refuted = 0;
  proved = 0;
  for (int k = 0; k < 300; ++k) {
    const ImpactProblem<2> balls =
        ball_chain<2>({1, 2, 0.5}, {2, 1.5 + 0.5 * uniform(random), 0}, ImpactCoefficients{});
    MatrixLaw law;
    law.E_nn = Eigen::MatrixXd::NullaryExpr(2, 2, [&] { return std::abs(uniform(random)); });
    const ImpactOutlook outlook = impact_outlook<2>(balls, law);
    CHECK(outlook.independent);
    refuted += outlook.admissible == Verdict::no;
    if (outlook.admissible != Verdict::yes) continue;
    ++proved;
    CHECK(gain(balls, law) <= 1e-12);
  }
  CHECK(proved > 10);
  CHECK(refuted > 10);
}

// Equal balls in a row have G tridiagonal with 1 and −1/2, λ_k = 1 − cos(k π/(n+1)).
TEST_CASE("of many contacts norms and spectra are bounded on the safe side") {
  constexpr int contacts = 1000;
  const ImpactProblem<2> chain = struck_chain<2>(contacts + 1, {.restitution = 0.7});
  const RestitutionBounds one = restitution_bounds<2>(chain, {});
  const double smallest = 1 - std::cos(std::numbers::pi / (contacts + 1));
  CHECK(one.independent);
  CHECK(one.smallest_G <= smallest);
  CHECK(one.smallest_G >= 0.99 * smallest);
  CHECK(one.largest_G == doctest::Approx(2));
  CHECK(one.one_coefficient);
  CHECK(one.norm == doctest::Approx(0.7 * std::sqrt(contacts)));
  CHECK(one.admissible == Verdict::yes);
  // Two coefficients: only small ones are proved of.
  ImpactProblem<2> two = chain;
  two.coefficients[3].restitution = 0.6;
  CHECK_FALSE(restitution_bounds<2>(two, {}).one_coefficient);
  CHECK(restitution_bounds<2>(two, {}).admissible == Verdict::unknown);
  for (std::size_t i = 0; i < two.size(); ++i)
    two.coefficients[i].restitution = i % 2 == 0 ? 1e-3 : 5e-4;
  CHECK(restitution_bounds<2>(two, {}).admissible == Verdict::yes);
}

// What is bounded for many contacts against what is computed for few.
TEST_CASE("bounds for many contacts are safe where the conditions are known") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 50; ++k) {
    std::vector<double> masses, speeds;
    for (int i = 0; i < 8; ++i) {
      masses.push_back(0.2 + uniform(random));
      speeds.push_back(-0.1 * i);
    }
    ImpactProblem<3> impact = ball_chain<3>(masses, speeds, ImpactCoefficients{});
    for (ImpactCoefficients& c : impact.coefficients) c.restitution = 0.2 * uniform(random);
    MatrixLaw law;
    law.neighbours = {0.05 * uniform(random), 0.02 * uniform(random)};
    const RestitutionBounds bounds = restitution_bounds<3>(impact, law);
    const ImpactOutlook outlook = impact_outlook<3>(impact, law);
    CHECK(bounds.smallest_G <= definiteness(outlook.G).smallest * (1 + 1e-10));
    CHECK(bounds.largest_G >= definiteness(outlook.G).largest);
    CHECK(bounds.sigma >= outlook.normal.sigma * (1 - 1e-12));
    CHECK(bounds.sigma_bound <= outlook.normal.sigma_bound);
    CHECK(bounds.norm == doctest::Approx(outlook.normal.norm));
    CHECK(bounds.norm_bound <= outlook.normal.norm_bound * (1 + 1e-12));
    CHECK(bounds.spectral_radius >= outlook.normal.spectral_radius * (1 - 1e-12));
    if (bounds.admissible == Verdict::yes) CHECK(outlook.admissible == Verdict::yes);
    if (bounds.kinetic == Verdict::yes) CHECK(outlook.normal.kinetic);
  }
}
