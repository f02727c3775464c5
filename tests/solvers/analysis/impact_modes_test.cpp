// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/impact_modes.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>

#include "solvers/complementarity/matrix_class.hpp"
#include "solvers/impact/quasi_velocities.hpp"
#include "solvers/impact/sliding_mode.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

// Coulomb and Signorini at every contact, from the velocities of the bodies.
bool solves(const ImpactProblem<2>& impact, const std::vector<Vec<2>>& P) {
  const std::vector<Vec<2>> before = contact_velocities<2>(impact, impact.v_minus);
  const std::vector<Vec<2>> after = contact_velocities<2>(impact, velocities_after<2>(impact, P));
  for (std::size_t i = 0; i < P.size(); ++i) {
    const ImpactCoefficients& c = impact.coefficients[i];
    const double u_N = after[i][0] + c.restitution * before[i][0],
                 u_T = after[i][1] + c.tangential_restitution * before[i][1];
    constexpr double small = 1e-7;
    if (P[i][0] < -small || u_N < -small || std::abs(P[i][0] * u_N) > small) return false;
    if (std::abs(P[i][1]) > c.friction * P[i][0] + small) return false;
    if (std::abs(u_T) > small &&
        std::abs(P[i][1] + (u_T > 0 ? 1 : -1) * c.friction * P[i][0]) > small)
      return false;
  }
  return true;
}

bool same(const std::vector<Vec<2>>& P, const std::vector<Vec<2>>& Q) {
  double apart = 0;
  for (std::size_t i = 0; i < P.size(); ++i) apart = std::max(apart, (P[i] - Q[i]).norm());
  return apart < 1e-6;
}

bool every_contact_slides(const ModeSolution& mode, std::vector<double>& xi) {
  xi.clear();
  for (const ContactMode m : mode.unilateral) {
    if (m != ContactMode::slip_plus && m != ContactMode::slip_minus) return false;
    xi.push_back(m == ContactMode::slip_plus ? 1 : -1);
  }
  return true;
}

// Unit mass and inertia, corners (±L/2, −l/2): [B12, Example 3], with contact 0 at the right as its
// h₁.
ImpactProblem<2> rocking_block(double L, double l, double mu, const Twist<2>& v) {
  ImpactProblem<2> impact;
  impact.bodies = {{}, {1, SpinMat<2>::Constant(1)}};
  impact.v_minus = {{}, v};
  for (const double side : {1.0, -1.0}) {
    ContactRow<2> row;
    row.a = 0;
    row.b = 1;
    row.frame = Mat<2>{{0, 1}, {1, 0}};
    row.arm_a.setZero();
    row.arm_b = Vec<2>(side * L / 2, -l / 2);
    impact.contacts.push_back(row);
  }
  impact.coefficients.assign(2, {.friction = mu});
  return impact;
}

}  // namespace

// What is enumerated solves the conditions, and holds what Gauss and Seidel find.
TEST_CASE("modes of random impacts are all solutions, and the law's answer is among them") {
  std::mt19937 random(40);
  std::uniform_real_distribution<double> uniform(0, 1);
  int answered = 0, several = 0, none = 0, slides = 0;
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 1 + k % 3);
    const double rough = k % 3 == 0 ? 3 : 0.8;
    for (ImpactCoefficients& c : impact.coefficients)
      c = {.friction = rough * uniform(random),
           .restitution = uniform(random),
           .tangential_restitution = k % 4 == 0 ? uniform(random) : 0};
    const ModeList modes = enumerate_modes(impact_system<2>(impact, {}));
    REQUIRE(modes.complete);
    for (const ModeSolution& mode : modes.solutions)
      CHECK(solves(impact, mode_percussions<2>(mode)));
    none += modes.solutions.empty();
    several += modes.solutions.size() > 1;
    const ImpactAnswer<2> answer = matrix_impact<2>(impact, {});
    if (answer.solved) {
      ++answered;
      bool among = false;
      for (const ModeSolution& mode : modes.solutions)
        among = among || mode.freedom > 0 || same(mode_percussions<2>(mode), answer.percussions);
      CHECK(among);
    }
    // The mode in which all slide, by Propositions 10 and 11, and in the list.
    const std::size_t ways = std::size_t{1} << impact.size();
    for (std::size_t way = 0; way < ways; ++way) {
      std::vector<double> xi, listed;
      for (std::size_t i = 0; i < impact.size(); ++i) xi.push_back((way >> i & 1) != 0 ? 1 : -1);
      const SlidingMode mode = sliding_mode(impact, {}, xi);
      if (!mode.regular || mode.p_bar.cwiseAbs().minCoeff() < 1e-4 ||
          mode.slip.cwiseAbs().minCoeff() < 1e-4)
        continue;
      bool found = false;
      for (const ModeSolution& solution : modes.solutions)
        found = found || (every_contact_slides(solution, listed) && listed == xi);
      CHECK(found == mode.exists);
      slides += mode.exists;
    }
  }
  MESSAGE("answered " << answered << ", several " << several << ", none " << none << ", all slide "
                      << slides);
  CHECK(answered > 9000);
  CHECK(several > 40);
  CHECK(none > 80);
  CHECK(slides > 1000);
}

TEST_CASE(
    "a rocking block has the inverse of B12's Example 3, and slides where it is not negative") {
  for (const double L : {1.0, 2.0, 3.0}) {
    for (const double l : {0.5, 1.0}) {
      for (const double mu : {0.05, 0.3, 0.9}) {
        const double f = 1 + L * L / 4, a = mu * l * L;
        Twist<2> v;
        v.v = {0, 0};
        const std::vector<double> back = {-1, -1};
        const SlidingMode mode = sliding_mode(rocking_block(L, l, mu, v), {}, back);
        Eigen::Matrix2d inverse;  // (72)
        inverse << 4 + L * L - a, -4 + L * L - a, -4 + L * L + a, 4 + L * L + a;
        inverse *= 4 * f / (16 * L * L);
        CHECK((mode.E - inverse).norm() <= 1e-12 * inverse.norm());
        CHECK(mode.E.inverse().determinant() ==
              doctest::Approx(16 * L * L / std::pow(4 * f, 2)).epsilon(1e-12));
        // Not negative for 0 ≤ μ ≤ (L² − 4)/(l L), which has room for L > 2; the document's
        // conclusion, L = 2 and μ = 0 alone, does not follow.
        CHECK(mode.non_negative == (mu <= (L * L - 4) / (l * L)));
        // G + n_qᵀH_T μ is positive definite for μ < 4/l; the document has lost l.
        for (const double factor : {0.999, 1.001}) {
          const SlidingMode rough = sliding_mode(rocking_block(L, l, factor * 4 / l, v), {}, back);
          const Eigen::Matrix2d M = rough.E.inverse();
          CHECK((definiteness(M).smallest > 0) == (factor < 1));
        }
      }
    }
  }
  // Rocking, the left corner (1) at rest on the floor while the right one (0) strikes: the first
  // column of the inverse decides, (4 − L²)/(l L) ≤ μ ≤ (4 + L²)/(l L).
  const double L = 1, l = 2;
  int pushes = 0;
  for (double mu = 0.05; mu < 4 / l; mu += 0.1) {
    Twist<2> v;  // turns about the left corner: its velocity is zero
    v.omega[0] = -1;
    v.v = {-l / 2, -L / 2};
    const SlidingMode mode = sliding_mode(rocking_block(L, l, mu, v), {}, std::vector{-1.0, -1.0});
    CHECK(mode.pushes == (mu >= (4 - L * L) / (l * L) && mu <= (4 + L * L) / (l * L)));
    pushes += mode.pushes;
  }
  CHECK(pushes > 2);
}

// A disk of radius 1 between a floor (contact 0) and a wall (1): p̄ of (74), with 1/(1 − μ²) for the
// printed 1 − μ².
TEST_CASE("a disk in an angle slides at both contacts as in B12's Example 4, corrected") {
  constexpr double m = 2, I = 0.7;
  int pushes = 0, tried = 0;
  for (double mu = 0.1; mu < 2; mu += 0.2) {
    for (const double ratio : {0.1, 0.3, 0.7, 1.0, 1.5, 4.0}) {
      const double e_1 = 0.3, e_2 = 0.6, y = -1, x = -ratio;
      ImpactProblem<2> impact;
      impact.bodies = {{}, {1 / m, SpinMat<2>::Constant(1 / I)}};
      Twist<2> v;
      v.v = {x, y};
      impact.v_minus = {{}, v};
      ContactRow<2> floor, wall;
      floor.a = wall.a = 0;
      floor.b = wall.b = 1;
      floor.arm_a = wall.arm_a = Vec<2>::Zero();
      floor.arm_b = Vec<2>(0, -1);
      floor.frame << 0, 1, 1, 0;  // h₁ = y, v_t = ẋ + Rθ̇
      wall.arm_b = Vec<2>(-1, 0);
      wall.frame << 1, 0, 0, 1;  // h₂ = x, v_t = ẏ − Rθ̇
      impact.contacts = {floor, wall};
      impact.coefficients = {{.friction = mu, .restitution = e_1},
                             {.friction = mu, .restitution = e_2}};
      const SlidingMode mode = sliding_mode(impact, {}, std::vector{-1.0, -1.0});
      const double scale = std::sqrt(m) / (1 - mu * mu);
      const double p_1 = -scale * ((1 + e_1) * y - mu * (1 + e_2) * x),
                   p_2 = -scale * ((1 + e_2) * x - mu * (1 + e_1) * y);
      CHECK(mode.p_bar[0] == doctest::Approx(p_1).epsilon(1e-12));
      CHECK(mode.p_bar[1] == doctest::Approx(p_2).epsilon(1e-12));
      CHECK_FALSE(mode.non_negative);  // no μ > 0 fulfils (iii)
      const double a = (1 + e_1) * y / ((1 + e_2) * x), least = std::min(a, 1 / a);
      CHECK(mode.pushes == (mu < 1 ? mu <= least : mu >= 1 / least));
      pushes += mode.pushes;
      ++tried;
    }
  }
  CHECK(pushes > 5);
  CHECK(tried - pushes > 5);
}

TEST_CASE("in space, an oblique impact has one mode, and its direction of slip is found") {
  int slid = 0;
  std::mt19937 random(41);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 10000; ++k) {
    Twist<3> v;
    v.v = Vec<3>(uniform(random), uniform(random), -1);
    v.omega = Vec<3>(uniform(random), uniform(random), uniform(random));
    const ImpactProblem<3> impact =
        body_on_wall<3>({1, SpinMat<3>(Vec<3>(1, 2, 3).asDiagonal())}, Vec<3>(0.1, 0.2, -0.3), v,
                        {.friction = 0.3, .restitution = 0.4});
    const ModeList modes = enumerate_modes(impact_system<3>(impact, {}));
    REQUIRE(modes.solutions.size() == 1);
    const ImpactAnswer<3> answer = matrix_impact<3>(impact, {});
    REQUIRE(answer.solved);
    CHECK((mode_percussions<3>(modes.solutions[0])[0] - answer.percussions[0]).norm() < 1e-7);
    slid += modes.solutions[0].unilateral[0] == ContactMode::slip;
  }
  CHECK(slid > 2000);
}
