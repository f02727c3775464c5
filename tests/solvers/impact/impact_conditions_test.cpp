// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_conditions.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <complex>
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
  for (int k = 0; k < 10000; ++k) {
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
  CHECK(by_sigma > 400);
  CHECK(by_norm > 400);
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

// E_nn = s E: at s = √ε* the loss G⁻¹ − s²EᵀG⁻¹E stops being positive definite.
TEST_CASE("Proposition 4's bound is where the loss stops being positive") {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 10000; ++k) {
    Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(3, 5, [&] { return uniform(random); });
    B.rowwise().normalize();
    const Eigen::MatrixXd G = B * B.transpose();
    if (definiteness(G).smallest < 1e-3) continue;
    const Eigen::MatrixXd E = Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return uniform(random); });
    const double s = std::sqrt(restitution_conditions(G, E).epsilon_star);
    CHECK(restitution_conditions(G, 0.999 * s * E).smallest_loss > 0);
    CHECK(restitution_conditions(G, 1.001 * s * E).smallest_loss < 0);
  }
}

// All E with EᵀG⁻¹E = G⁻¹ are G^½ O G^(−½); O is scanned, rotations and reflections.
TEST_CASE("Corollary 1 leaves [0 1; 1 0], and I where contacts do not push each other") {
  constexpr int angles = 3600;
  for (const double a : {-0.8, -0.5, -0.1, 0.0, 0.1, 0.5, 0.8}) {
    const Eigen::MatrixXd G = two_by_two(1, a, a, 1);
    const double up = std::sqrt(1 + a), down = std::sqrt(1 - a);  // G^½ has them as eigenvalues
    const Eigen::MatrixXd root = 0.5 * two_by_two(up + down, up - down, up - down, up + down);
    int found = 0;
    for (int k = 0; k < angles; ++k) {
      const double phi = 2 * std::numbers::pi * k / angles, c = std::cos(phi), s = std::sin(phi);
      for (const double side : {1.0, -1.0}) {
        Eigen::MatrixXd E = root * two_by_two(c, -side * s, s, side * c) * root.inverse();
        E = (E.array().abs() < 1e-13).select(0, E);
        const bool conservative = restitution_conditions(G, E).conservative;
        found += conservative;
        const bool exchange = (E - two_by_two(0, 1, 1, 0)).norm() < 1e-9;
        const bool identity = (E - two_by_two(1, 0, 0, 1)).norm() < 1e-9;
        CHECK(conservative == (exchange || (identity && a <= 0)));
        if (conservative)
          for (const std::complex<double>& lambda : E.eigenvalues())
            CHECK(std::abs(lambda) == doctest::Approx(1));
      }
    }
    CHECK(found == (a > 0 ? 1 : 2));
    CHECK((has_U_property(G) == Verdict::yes) == (found == 1));
  }
  CHECK(has_U_property(Eigen::MatrixXd::Ones(1, 1)) == Verdict::yes);
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

  std::mt19937 random(14);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int bounded = 0, gains = 0;
  for (int k = 0; k < 10000; ++k) {
    const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(3, 4, [&] { return uniform(random); });
    const Eigen::MatrixXd T = B * B.transpose();
    const double size = 0.3 * std::abs(uniform(random));
    const Eigen::MatrixXd R =
        Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return size * uniform(random); });
    const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(3, [&] { return uniform(random); });
    const bool gained = (R * v).dot(T * (R * v)) > v.dot(T * v) * (1 + 1e-12);
    gains += gained;
    if (const auto c = full_restitution_conditions(T, R); c.norm < c.norm_bound) {
      ++bounded;
      CHECK_FALSE(gained);
    }
  }
  CHECK(bounded > 500);
  CHECK(gains > 10);
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
        impact.q_norm = Eigen::VectorXd::Constant(1, -1);
        const SlidingConditions c = sliding_conditions(impact);
        CHECK(c.lemma_1);
        CHECK(c.pushes);
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

// A block on two rough corners (±a, −b) from its centre, of unit mass and inertia I, both sliding
// along ξ. By hand, in q̇ = (ẋ, ẏ, θ̇): ∇h = (0, 1, ±a), ‖∇h‖² = 1 + a²/I, H_T = (1, 0, b).
struct SlidingBlock {
  double a, b, I, mu, xi;
  Eigen::Matrix2d E_nn;

  SlidingImpact impact(const Eigen::Vector3d& v) const {
    const double norm = std::sqrt(1 + a * a / I), g = (1 - a * a / I) / (norm * norm);
    SlidingImpact impact;
    impact.G = two_by_two(1, g, g, 1);
    impact.n_H = two_by_two(a * b / I, a * b / I, -a * b / I, -a * b / I) / norm;
    impact.t_H = Eigen::MatrixXd::Ones(1, 2);  // q̇_tan = ẋ
    impact.D_t = Eigen::MatrixXd::Identity(1, 1);
    impact.mu_bar = Eigen::VectorXd::Constant(2, xi * mu / norm);
    impact.E_nn = E_nn;
    impact.q_norm = Eigen::Vector2d(v[1] + a * v[2], v[1] - a * v[2]) / norm;
    return impact;
  }
  // T⁺ − T⁻ with v_N⁺ = −E_nn v_N⁻ (in q̇_norm) and P_T = −ξ μ P_N, from the equations of motion.
  double work(const Eigen::Vector3d& v) const {
    const double norm = std::sqrt(1 + a * a / I);
    Eigen::Matrix<double, 2, 3> N;
    N << 0, 1, a, 0, 1, -a;
    const Eigen::Vector3d M(1, 1, I), H_T(1, 0, b);
    Eigen::Matrix<double, 3, 2> push = N.transpose();  // of P_N with its friction
    push.colwise() -= xi * mu * H_T;
    const Eigen::Vector2d q = N * v / norm;
    const Eigen::Matrix<double, 3, 2> jump = M.cwiseInverse().asDiagonal() * push;
    const Eigen::Vector2d P = (N * jump).inverse() * (-norm * (E_nn * q + q));
    const Eigen::Vector3d after = v + jump * P;
    return 0.5 * (after.dot(M.cwiseProduct(after)) - v.dot(M.cwiseProduct(v)));
  }
};

// The identity (77), with G⁻¹ for M(q, μ): the printed E(q) − G n_qᵀH_T[μ̄]E(q) misses it.
TEST_CASE("Theorem 2 splits the work of two rough contacts with M = G⁻¹") {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(0, 1), sign(-1, 1);
  double printed_misses = 0;
  for (int k = 0; k < 10000; ++k) {
    const SlidingBlock block{
        0.2 + uniform(random),   0.2 + uniform(random),
        0.2 + uniform(random),   0.3 * uniform(random),
        k % 2 == 0 ? 1.0 : -1.0, two_by_two(uniform(random), 0, 0, uniform(random))};
    const Eigen::Vector3d v(sign(random), sign(random), sign(random));
    const SlidingImpact impact = block.impact(v);
    const SlidingConditions c = sliding_conditions(impact);
    const Eigen::Matrix2d I = Eigen::Matrix2d::Identity(), mu = impact.mu_bar.asDiagonal();
    const Eigen::Matrix2d E = (impact.G - impact.n_H * mu).inverse();
    const auto split = [&](const Eigen::Matrix2d& M) {
      const Eigen::RowVector2d slides = impact.t_H * mu * E * (I + block.E_nn);
      const Eigen::Matrix2d M_bar = (I - block.E_nn).transpose() * M * (I + block.E_nn);
      const Eigen::Vector2d& q = impact.q_norm;
      return -0.5 * q.dot(M_bar * q) + 0.5 * std::pow(slides * q, 2) + v[0] * slides * q;
    };
    const double work = block.work(v);
    CHECK(split(impact.G.inverse()) == doctest::Approx(work).epsilon(1e-10));
    printed_misses =
        std::max(printed_misses, std::abs(split(E - impact.G * impact.n_H * mu * E) - work));
    const Eigen::Matrix2d M_bar =
        (I - block.E_nn).transpose() * impact.G.inverse() * (I + block.E_nn);
    CHECK(c.smallest_M == doctest::Approx(definiteness(M_bar).smallest).epsilon(1e-10));
    const Eigen::Vector2d p = -E * (I + block.E_nn) * impact.q_norm;
    CHECK(c.pushes == (p.minCoeff() >= -1e-12 * p.cwiseAbs().maxCoeff()));
    if (c.lemma_1 && c.pushes && std::abs(v[0]) * c.normal_ratio <= impact.q_norm.norm())
      CHECK(work <= 1e-12);
  }
  CHECK(printed_misses > 0.01);
  // One coefficient e: M̄ = (1 − e²) G⁻¹. A block 0.3 m × 1 m has G₁₂ = 0.602941.
  const SlidingBlock flat{0.15, 0.5, 1.09 / 12, 0.05, 1, two_by_two(0.5, 0, 0, 0.5)};
  const SlidingConditions c = sliding_conditions(flat.impact({0, -1, 0}));
  CHECK(c.smallest_M == doctest::Approx(0.467890).epsilon(1e-5));
  CHECK(c.smallest_M == doctest::Approx(0.75 / (1 + flat.impact({0, -1, 0}).G(0, 1))));
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

// The linear matrix inequality (56) itself, on both sides of the scale.
TEST_CASE("restitution may grow up to the boundary of Aghili's linear matrix inequality") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 2 + k % 2);
    const QuasiVelocities quasi = quasi_velocities<2>(impact);
    if (definiteness(quasi.G()).smallest < 1e-2) continue;
    const Eigen::Index n = quasi.w.size(), p = quasi.G().rows();
    const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n), A = quasi.H_N.transpose();
    const ObliqueProjection projection(M, A);
    const Eigen::MatrixXd oblique = projection.S * projection.A_pinv;  // G of (54)
    const Eigen::VectorXd e = Eigen::VectorXd::NullaryExpr(p, [&] { return uniform(random); });
    const Eigen::MatrixXd Q = loss_metric(projection, M);
    const double s = largest_scale(Q, e.asDiagonal());
    const auto least = [&](double factor) {
      const Eigen::MatrixXd E = factor * s * Eigen::MatrixXd(e.asDiagonal());
      Eigen::MatrixXd inequality(p + n, p + n);
      inequality << oblique.transpose() * M * oblique, E * oblique.transpose(), oblique * E, M;
      return definiteness(inequality).smallest;
    };
    CHECK(least(0.999) >= -1e-12);
    CHECK(least(1.001) < 0);
    CHECK(largest_scale(Q, 0.8 * Eigen::MatrixXd::Identity(p, p)) == doctest::Approx(1 / 0.8));
  }
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
  for (int k = 0; k < 10000; ++k) {
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

  // Two rough contacts of one or two bodies, with G ≠ I and n_qᵀH_T ≠ 0.
  proved = gains = 0;
  int coupled = 0;
  for (int k = 0; k < 20000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 2);
    for (ImpactCoefficients& c : impact.coefficients)
      c = {.friction = 0.1 * (1 + uniform(random)), .restitution = 0.3 * (1 + uniform(random))};
    const ImpactOutlook outlook = impact_outlook<2>(impact, {});
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
    if (!answer.solved) continue;
    const bool gained = kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) >
                        kinetic_energy<2>(impact, impact.v_minus) * (1 + 1e-10);
    gains += gained;
    if (outlook.admissible != Verdict::yes) continue;
    ++proved;
    coupled += std::abs(outlook.G(0, 1)) > 0.1;
    CHECK_FALSE(gained);
  }
  CHECK(proved > 300);
  CHECK(coupled > 100);
  CHECK(gains > 10);

  int refuted = 0;
  proved = 0;
  for (int k = 0; k < 10000; ++k) {
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
  CHECK(proved > 400);
  CHECK(refuted > 400);
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
  CHECK(restitution_bounds<2>(two, {}).admissible == Verdict::yes);
  CHECK(restitution_bounds<2>(two, {}).opening == Verdict::unknown);
  CHECK(restitution_bounds<2>(two, {}, RestitutionRule::letter).admissible == Verdict::unknown);
  for (std::size_t i = 0; i < two.size(); ++i)
    two.coefficients[i].restitution = i % 2 == 0 ? 1e-3 : 5e-4;
  CHECK(restitution_bounds<2>(two, {}).opening == Verdict::yes);
  CHECK(restitution_bounds<2>(two, {}, RestitutionRule::letter).admissible == Verdict::yes);
  // Friction as well: one value of restitution, and the same along the tangents.
  for (ImpactCoefficients& c : two.coefficients) c = {.friction = 0.5};
  CHECK(restitution_bounds<2>(two, {}).admissible == Verdict::yes);
  two.coefficients[7].tangential_restitution = 0.5;
  CHECK(restitution_bounds<2>(two, {}).admissible == Verdict::unknown);
}

// What is bounded for many contacts against what is computed for few.
TEST_CASE("bounds for many contacts are safe where the conditions are known") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 1000; ++k) {
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

// Thirteen disks that land side by side, as one impact: too many ways to slide to try them all.
TEST_CASE("with many rough contacts Theorem 2 is bounded by norms, or nothing is proved") {
  const auto disks = [](int count, double slip) {
    ImpactProblem<2> impact;
    impact.bodies = {{}};
    impact.v_minus = {{}};
    for (int i = 0; i < count; ++i) {
      impact.bodies.push_back({1, SpinMat<2>::Constant(200)});
      Twist<2> v;
      v.v = {slip, -1};
      impact.v_minus.push_back(v);
      ContactRow<2> row;
      row.a = 0;
      row.b = 1 + i;
      row.frame = Mat<2>{{0, 1}, {1, 0}};
      row.arm_a.setZero();
      row.arm_b = Vec<2>(0, -0.1);
      impact.contacts.push_back(row);
      impact.coefficients.push_back({.friction = 0.1, .restitution = 0.5});
    }
    return impact;
  };
  for (const int count : {3, 12, 13, 40}) {
    const ImpactOutlook steep = impact_outlook<2>(disks(count, 0.2), {});
    REQUIRE(steep.sliding);
    CHECK(steep.sliding->way_by_way == (count <= 12));
    CHECK(steep.sliding->rough == static_cast<std::size_t>(count));
    CHECK(impact_outlook<2>(disks(count, 5), {}).admissible == Verdict::unknown);
    // Uncoupled: one disk's (83) with t_qᵀH_T = √(1 + r²/I), up to the norms of many.
    if (count > 12) CHECK(steep.admissible == Verdict::yes);
    CHECK(steep.sliding->conditions.largest_K ==
          doctest::Approx(0.1 * 0.1 * 1.5 * 1.5 * 3).epsilon(1e-9));
  }
}

// In space friction may push along any direction: the polygon about its disk is on the safe side,
// as norms are.
TEST_CASE("in space Theorem 2 holds whatever way contacts slide") {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int proved = 0, gains = 0;
  for (int k = 0; k < 10000; ++k) {
    const double wild = k % 2 == 0 ? 1 : 0.08;  // beyond what can be proved
    ImpactProblem<3> impact;
    impact.bodies = {{}, {1, SpinMat<3>(Vec<3>(2, 3, 4).asDiagonal())}};
    Twist<3> v;
    v.v = Vec<3>(uniform(random), uniform(random), -2);
    if (k % 2 == 0) v.v.head<2>() *= 5;
    v.omega = 0.3 * Vec<3>(uniform(random), uniform(random), uniform(random));
    impact.v_minus = {{}, v};
    for (int i = 0; i < 1 + k % 3; ++i) {
      ContactRow<3> row;
      row.a = 0;
      row.b = 1;
      row.frame = Mat<3>{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
      row.arm_a.setZero();
      row.arm_b = Vec<3>(uniform(random), uniform(random), k % 2 == 0 ? -1 : -0.3);
      impact.contacts.push_back(row);
      impact.coefficients.push_back(
          {.friction = wild * (1 + uniform(random)), .restitution = 0.4 * (1 + uniform(random))});
    }
    const ImpactOutlook outlook = impact_outlook<3>(impact, {});
    if (!outlook.sliding) continue;
    const ImpactAnswer<3> answer = matrix_impact<3>(impact, {});
    if (!answer.solved) continue;
    const bool gained = kinetic_energy<3>(impact, velocities_after<3>(impact, answer.percussions)) >
                        kinetic_energy<3>(impact, impact.v_minus) * (1 + 1e-10);
    gains += gained;
    if (outlook.admissible != Verdict::yes) continue;
    ++proved;
    CHECK_FALSE(gained);
    const SlidingConditions& c = outlook.sliding->conditions;
    CHECK(c.lemma_1);
    CHECK(c.pushes);
  }
  CHECK(gains > 2);
  CHECK(proved > 1000);
}

// Coulomb's friction of a contact that sticks is ξ μ P_N with any |ξ| ≤ 1: what the corners of all
// ξ and what norms say must hold between them, and where both promise it no impact gains energy.
TEST_CASE("Theorem 2 by corners and by norms covers every way to slide or stick between") {
  std::mt19937 random(32);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int by_corners = 0, by_norms = 0, norms_hold = 0, pushing = 0;
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 2 + k % 2);
    for (ImpactCoefficients& c : impact.coefficients)
      c = {.friction = 0.06 * (1 + uniform(random)), .restitution = 0.3 * (1 + uniform(random))};
    if (k % 3 == 0)  // near to an impact along the normals
      for (std::size_t i = 1; i < impact.v_minus.size(); ++i) impact.v_minus[i].omega.setZero();
    const ImpactOutlook outlook = impact_outlook<2>(impact, {});
    if (!outlook.sliding || definiteness(outlook.G).smallest < 0.05) continue;
    const SlidingConditions& corners = outlook.sliding->conditions;
    REQUIRE(outlook.sliding->way_by_way);
    const QuasiVelocities quasi = quasi_velocities<2>(impact);
    SlidingImpact all{quasi.G(), quasi.N * quasi.H_T, quasi.T * quasi.H_T, {},
                      {},        outlook.E_nn,        quasi.normal()};
    all.D_t = Eigen::MatrixXd::Identity(quasi.T.rows(), quasi.T.rows());
    all.mu_bar.resize(quasi.norms.size());
    for (Eigen::Index i = 0; i < all.mu_bar.size(); ++i)
      all.mu_bar[i] = impact.coefficients[at(static_cast<int>(i))].friction / quasi.norms[i];
    const SlidingConditions norms = sliding_bounds(all);
    const auto covers = [&](const SlidingConditions& promised, const SlidingConditions& c) {
      CHECK(promised.largest_K >= c.largest_K * (1 - 1e-9));
      if (promised.pushes) CHECK(c.pushes);
      if (promised.coupling_small) CHECK(c.coupling_small);
    };
    for (int sample = 0; sample < 5; ++sample) {
      SlidingImpact one = all;
      for (double& mu : one.mu_bar) mu *= uniform(random);
      const SlidingConditions c = sliding_conditions(one);
      if (corners.lemma_1) {
        ++by_corners;
        CHECK(c.lemma_1);
        covers(corners, c);
        CHECK(corners.normal_ratio >= c.normal_ratio * (1 - 1e-9));
      }
      if (norms.lemma_1) {
        ++by_norms;
        pushing += norms.pushes;
        covers(norms, c);
      }
    }
    if (!norms.hold(outlook.normal_ratio)) continue;
    ++norms_hold;
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
    REQUIRE(answer.solved);
    CHECK(kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) <=
          kinetic_energy<2>(impact, impact.v_minus) * (1 + 1e-10));
  }
  CHECK(by_corners > 5000);
  CHECK(by_norms > 5000);
  CHECK(pushing > 1000);
  CHECK(norms_hold > 100);
}
