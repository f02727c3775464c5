// SPDX-License-Identifier: Apache-2.0
// What is said of laws of restitution beforehand, against what their impacts then do: energies are
// those of the bodies' velocities.
#include "solvers/impact/restitution_verdict.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <optional>

#include "solvers/impact/impact_outlook.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/restitution_matrix.hpp"
#include "solvers/math/dense.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

constexpr double rounding = 1e-9;

// T⁺ − T⁻ over the energy that the contacts turn over.
// Empty where the law has no answer: only of normals that depend on each other, where one opens.
template <int D>
std::optional<double> gain(const ImpactProblem<D>& impact, const MatrixLaw& law) {
  const ImpactAnswer<D> answer = matrix_impact<D>(impact, law);
  if (!answer.solved) return std::nullopt;
  const double before = kinetic_energy<D>(impact, impact.v_minus);
  return (kinetic_energy<D>(impact, velocities_after<D>(impact, answer.percussions)) - before) /
         before;
}

bool opens(const ImpactProblem<2>& impact) {
  for (const Vec<2>& u : contact_velocities<2>(impact, impact.v_minus))
    if (u[0] > 0) return true;
  return false;
}

// The bodies' velocities w = Nᵀ(N Nᵀ)⁻¹q that have the quasi-normal ones q and no others.
ImpactProblem<2> arriving(ImpactProblem<2> impact, const Eigen::VectorXd& q) {
  const QuasiVelocities quasi = quasi_velocities<2>(impact);
  const Eigen::VectorXd w =
      quasi.N.transpose() * Eigen::VectorXd(LeastSquares(quasi.G(), 1e-12).solve(q));
  // Bodies appear in the order of the contacts that name them first.
  std::vector<int> order;
  const auto use = [&](int body) {
    if (body > 0 && std::find(order.begin(), order.end(), body) == order.end())
      order.push_back(body);
  };
  for (const ContactRow<2>& row : impact.contacts) {
    use(row.a);
    use(row.b);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const MassBlock<2>& body = impact.bodies[at(order[k])];
    Twist<2>& v = impact.v_minus[at(order[k])];
    const auto first = static_cast<Eigen::Index>(3 * k);
    v.v = std::sqrt(body.inverse_mass) * w.segment<2>(first);
    v.omega[0] = std::sqrt(body.inverse_inertia(0, 0)) * w[first + 2];
  }
  return impact;
}

// A block that lands flat: both contacts push each other, G₁₂ > 0.
ImpactProblem<2> flat_block(double e) {
  ImpactProblem<2> impact;
  impact.bodies = {{}, {1, SpinMat<2>::Constant(12.0 / (1 + 0.5 * 0.5))}};
  Twist<2> v;
  v.v = {0, -1};
  impact.v_minus = {{}, v};
  for (const double side : {-0.25, 0.25}) {
    ContactRow<2> row;
    row.a = 0;
    row.b = 1;
    row.frame = Mat<2>{{0, -1}, {1, 0}};
    row.arm_a.setZero();
    row.arm_b = Vec<2>(side, -0.5);
    impact.contacts.push_back(row);
  }
  impact.coefficients.assign(2, {.restitution = e});
  return impact;
}

}  // namespace

TEST_CASE("Moreau's law with one coefficient is proved for a block that lands flat") {
  for (const double e : {0.0, 0.5, 1.0}) {
    const ImpactOutlook outlook = impact_outlook<2>(flat_block(e), {});
    CHECK(outlook.G(0, 1) > 0.1);
    CHECK_FALSE(outlook.normal.kinetic);  // Proposition 8 (ii) fails, which is about other laws
    CHECK(outlook.admissible == Verdict::yes);
    CHECK(outlook.frictionless.opening == Verdict::yes);
    // By the letter the same matrix pulls at one corner when the other arrives alone.
    const ImpactOutlook letter = impact_outlook<2>(flat_block(e), {}, RestitutionRule::letter);
    CHECK(letter.admissible == Verdict::no);
    REQUIRE(letter.frictionless.refuted_by);
    const ImpactAnswer<2> pulls =
        projection_impact<2>(arriving(flat_block(e), letter.frictionless.refuted_by->q_minus), {});
    CHECK(std::min(pulls.percussions[0][0], pulls.percussions[1][0]) < -0.1);
  }
}

// Three balls, the first elastic, the second plastic, which open as they are struck: the first
// contact loses nothing, the second gains ½ p̄₂ q₂⁻ = ½ (4/3) 0.9 · 0.1 = 0.06.
TEST_CASE("unequal coefficients gain energy where a contact opens on arrival, and nowhere else") {
  const double unit = std::sqrt(2);  // u_N over q of two unit masses
  const ImpactProblem<2> balls =
      ball_chain<2>({1, 1, 1}, {unit, 0, 0.1 * unit}, {{.restitution = 1}, {}});
  const ImpactOutlook outlook = impact_outlook<2>(balls, {});
  CHECK(outlook.admissible == Verdict::yes);
  CHECK(outlook.frictionless.opening == Verdict::no);
  const Eigen::Vector2d q = quasi_velocities<2>(balls).normal();
  CHECK(q[0] == doctest::Approx(-1));
  CHECK(q[1] == doctest::Approx(0.1));
  const double energy = 0.5 * q.dot(outlook.G.inverse() * q);
  CHECK(*gain_of_arrival(outlook.G, outlook.E_nn, q) * energy == doctest::Approx(0.06));
  CHECK(*gain<2>(balls, {}) * kinetic_energy<2>(balls, balls.v_minus) == doctest::Approx(0.06));
}

TEST_CASE("verdicts on Moreau's law hold for random bodies of two to four contacts") {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> uniform(0, 1), sign(-1, 1);
  int proved = 0, refuted = 0, unknown = 0, closing = 0, gained = 0;
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 2 + k % 3);
    const bool near = k % 4 == 0;  // coefficients close to each other, or any
    const double e = uniform(random);
    for (ImpactCoefficients& c : impact.coefficients)
      c.restitution = near ? std::min(1.0, 0.9 * e + 0.05 * uniform(random)) : uniform(random);
    const ImpactOutlook outlook = impact_outlook<2>(impact, {});
    REQUIRE(outlook.admissible == Verdict::yes);
    const Verdict verdict = outlook.frictionless.opening;
    proved += verdict == Verdict::yes;
    refuted += verdict == Verdict::no;
    unknown += verdict == Verdict::unknown;
    if (verdict == Verdict::no) {
      REQUIRE(outlook.frictionless.refuted_by);
      const ShownArrival& shown = *outlook.frictionless.refuted_by;
      const ImpactProblem<2> worst = arriving(impact, shown.q_minus);
      CHECK(gain<2>(worst, {}).value() == doctest::Approx(shown.gain).epsilon(1e-6));
      CHECK(opens(worst));
    }
    for (int arrival = 0; arrival < 10; ++arrival) {
      for (std::size_t i = 1; i < impact.bodies.size(); ++i) {
        impact.v_minus[i].v = {sign(random), sign(random)};
        impact.v_minus[i].omega[0] = 2 * sign(random);
      }
      const std::optional<double> change = gain<2>(impact, {});
      const bool open = opens(impact);
      closing += !open;
      REQUIRE((change || (open && !outlook.independent)));
      if (!change) continue;
      if (!open || verdict == Verdict::yes) CHECK(*change <= rounding);
      if (*change > rounding) ++gained;
    }
  }
  CHECK(proved > 1500);
  CHECK(refuted > 750);
  CHECK(unknown < 1500);  // normals that depend on each other
  CHECK(closing > 5000);
  CHECK(gained > 500);
}

TEST_CASE("verdicts on matrices with distance effects hold for random arrivals that open nothing") {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> uniform(0, 1);
  int by_sets[2] = {0, 0}, by_proposition[2] = {0, 0}, unknown = 0;
  for (int k = 0; k < 15000; ++k) {
    const Eigen::Index n = 2 + k % 2;
    Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, 4, [&] { return uniform(random) - 0.5; });
    B.rowwise().normalize();
    const Eigen::MatrixXd G = B * B.transpose();
    const double size = k % 2 == 0 ? 0.2 * uniform(random) : 0.2 + 0.6 * uniform(random);
    const Eigen::MatrixXd E =
        Eigen::MatrixXd::NullaryExpr(n, n, [&] { return size * uniform(random); });
    if (definiteness(G).smallest < 0.05) continue;
    const RestitutionVerdict v = restitution_verdict(G, E, RestitutionRule::complementarity);
    const bool letter = ((G.inverse() * (Eigen::MatrixXd::Identity(n, n) + E)).array() >= 0).all();
    unknown += v.closing == Verdict::unknown;
    if (v.closing != Verdict::unknown)
      ++(letter ? by_proposition : by_sets)[v.closing == Verdict::yes];
    if (v.closing == Verdict::no) {
      REQUIRE(v.refuted_by);
      CHECK(v.refuted_by->q_minus.maxCoeff() <= 0);
      const std::optional<double> change = gain_of_arrival(G, E, v.refuted_by->q_minus);
      REQUIRE(change);
      CHECK(*change > 0);
      CHECK(*change == doctest::Approx(v.refuted_by->gain).epsilon(1e-6));
    }
    for (int arrival = 0; arrival < 30; ++arrival) {
      Eigen::VectorXd q = -Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(random); });
      if (arrival % 3 == 0) q[arrival % n] = 0;
      const std::optional<double> change = gain_of_arrival(G, E, q);
      REQUIRE(change);
      if (v.closing == Verdict::yes) CHECK(*change <= rounding);
    }
  }
  for (const int* count : {by_sets, by_proposition}) {
    CHECK(count[0] > 50);
    CHECK(count[1] > 50);
  }
  CHECK(unknown == 0);
}

// (3) of restitution_verdict.hpp: one ρ = τ, whatever the friction; with τ ≠ ρ impacts do gain.
TEST_CASE("restitution and tangential restitution of one value never gain energy with friction") {
  std::mt19937 random(22);
  std::uniform_real_distribution<double> uniform(0, 1);
  int gains = 0, solved = 0;
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 1 + k % 3);
    const double rho = k % 5 == 0 ? 0 : uniform(random);
    for (ImpactCoefficients& c : impact.coefficients)
      c = {.friction = uniform(random), .restitution = rho, .tangential_restitution = rho};
    CHECK(impact_outlook<2>(impact, {}).admissible == Verdict::yes);
    const auto energy_grows = [&] {
      const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
      if (!answer.solved) return false;
      ++solved;
      return kinetic_energy<2>(impact, velocities_after<2>(impact, answer.percussions)) >
             kinetic_energy<2>(impact, impact.v_minus) * (1 + rounding);
    };
    CHECK_FALSE(energy_grows());
    for (ImpactCoefficients& c : impact.coefficients) c.tangential_restitution = 0;
    gains += energy_grows();
  }
  CHECK(solved > 19000);
  CHECK(gains > 20);
}

TEST_CASE("a law with quasi-tangential blocks is refuted where some arrival gains or closes") {
  // A block on two corners, q̇_tan = √m ẋ: E_nn = [0 r; r 0], E_tt = −s keeps r² and s² of the two
  // energies.
  ImpactProblem<2> block = flat_block(0);
  for (ImpactCoefficients& c : block.coefficients) c.friction = 1;
  MatrixLaw law;
  const auto verdict = [&](double r, double s, double nt) {
    law.E_nn = (Eigen::MatrixXd(2, 2) << 0, r, r, 0).finished();
    law.E_tt = Eigen::MatrixXd::Constant(1, 1, -s);
    law.E_nt = Eigen::MatrixXd::Constant(2, 1, nt);
    return impact_outlook<2>(block, law).admissible;
  };
  CHECK(verdict(0.9, 0.9, 0) == Verdict::unknown);
  CHECK(verdict(1, 1, 0) == Verdict::unknown);
  CHECK(verdict(0.9, 1.1, 0) == Verdict::no);
  CHECK(verdict(1.1, 0.9, 0) == Verdict::no);
  CHECK(verdict(0.9, 0.9, 0.1) == Verdict::no);  // ẋ large enough closes a corner
}
