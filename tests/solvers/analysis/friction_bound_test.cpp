// SPDX-License-Identifier: Apache-2.0
#include "solvers/analysis/friction_bound.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

#include "solvers/analysis/well_posedness.hpp"
#include "solvers/complementarity/cell.hpp"
#include "solvers/complementarity/lcp.hpp"
#include "solvers/complementarity/mlcp.hpp"

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// A system of few freedoms given by its mass matrix diag(m) and dense gradients.
struct Gradients {
  VectorXd mass;
  MatrixXd normal, tangent;  // rows
};

ConstraintSet constraints(const Gradients& g, const VectorXd& mu, const VectorXd& slip) {
  ConstraintSet set = empty_constraints(g.normal.rows(), 1, g.mass.size());
  const VectorXd weight = g.mass.cwiseSqrt().cwiseInverse();
  set.normal = MatrixXd(g.normal * weight.asDiagonal()).sparseView(1, 0);
  set.tangent = MatrixXd(g.tangent * weight.asDiagonal()).sparseView(1, 0);
  set.friction = mu;
  set.slip = slip.transpose();
  return set;
}

// Rod of length 2l at an angle θ, its ends held by two parallel guides (q = x, y, θ).
ContactSystem painleve_klein(double theta, double mu_1, double mu_2) {
  const double half = 0.5, m = 1, I = m * 4 * half * half / 12;
  const double c = half * std::cos(theta), s = half * std::sin(theta);
  Gradients g{VectorXd{{m, m, I}}, MatrixXd(2, 3), MatrixXd(2, 3)};
  g.normal << 0, 1, -c, 0, 1, c;
  g.tangent << 1, 0, s, 1, 0, -s;
  ContactSystem system;
  system.bilateral = constraints(g, VectorXd{{mu_1, mu_2}}, VectorXd::Ones(2));
  system.unilateral = empty_constraints(0, 1, 3);
  return system;
}

// Rod of 2 m and 1 kg: its upper end held to the wall, its lower end on the ground, sliding down.
ContactSystem ladder(double theta, double mu_b, double mu_u) {
  const double c = std::cos(theta), s = std::sin(theta);
  const VectorXd mass{{1, 1, 1.0 / 3}};
  Gradients wall{mass, MatrixXd(1, 3), MatrixXd(1, 3)}, ground = wall;
  wall.normal << 1, 0, s;
  wall.tangent << 0, 1, c;
  ground.normal << 0, 1, -c;
  ground.tangent << 1, 0, -s;
  ContactSystem system;
  system.bilateral = constraints(wall, VectorXd::Constant(1, mu_b), VectorXd::Constant(1, -1));
  system.unilateral = constraints(ground, VectorXd::Constant(1, mu_u), VectorXd::Constant(1, 1));
  return system;
}

ContactSystem sliding_rod(double theta, double mu) {  // Painlevé's, [B12, §2.3.3]
  const double c = std::cos(theta), s = std::sin(theta);
  Gradients g{VectorXd{{1, 1, 1.0 / 3}}, MatrixXd(1, 3), MatrixXd(1, 3)};
  g.normal << 0, 1, -c;
  g.tangent << 1, 0, s;
  ContactSystem system;
  system.bilateral = empty_constraints(0, 1, 3);
  system.unilateral = constraints(g, VectorXd::Constant(1, mu), VectorXd::Constant(1, -1));
  return system;
}

struct RandomSystem {
  std::mt19937 engine;
  double number() { return std::normal_distribution<double>()(engine); }
  MatrixXd matrix(Index n, Index m) {
    return MatrixXd::NullaryExpr(n, m, [&] { return number(); });
  }
  ConstraintSet set(Index m, Index dof, double mu) {
    Gradients g{VectorXd::Ones(dof), matrix(m, dof), matrix(m, dof)};
    VectorXd slip(m), friction(m);
    for (Index i = 0; i < m; ++i) {
      slip[i] = number() > 0 ? 1 : -1;
      friction[i] = mu * std::uniform_real_distribution<double>(0, 1)(engine);
    }
    return constraints(g, friction, slip);
  }
};

// σ_max in closed form.
double norm_of_2x2(const Mat<2>& A) {
  const double square = A.squaredNorm(), det = A.determinant();
  return std::sqrt(0.5 * (square + std::sqrt(std::max(0.0, square * square - 4 * det * det))));
}

HorizontalProblem bilateral_problem(const SlidingMatrices& A, const VectorXd& w) {
  return {A.A_nb - A.A_tb * A.mu_b.asDiagonal(), A.A_nb + A.A_tb * A.mu_b.asDiagonal(), w};
}

}  // namespace

TEST_CASE("Painleve-Klein: the bound of Proposition 9 is the closed form printed in the tutorial") {
  for (int k = 1; k < 400; ++k) {
    const double theta = k * std::numbers::pi / 800;
    const double c = std::cos(theta), c2 = c * c;
    const double printed =
        2 / (3 * std::sqrt(1 - std::cos(4 * theta))) *
        std::sqrt(-(3 * c2 + 1) * std::abs(3 * c2 - 1) + 9 * c2 * c2 + 1);  // [BBB16, §3.2.1]
    const double bound = bilateral_bound(sliding_matrices(painleve_klein(theta, 0, 0)));
    // The printed form cancels near π/2: its own rounding is 1e-16/c⁴ beside 18 c⁴.
    const double rounding = 1e-16 / (c2 * c2);
    CHECK(std::abs(bound - printed) <= (1e-10 + rounding) * printed);
    CHECK(bound <= 2 / std::tan(theta) * (1 + 1e-12));
  }
}

TEST_CASE("Painleve-Klein: one solution exactly when |mu_1 - mu_2| < 2 / tan theta") {
  // The classical condition is for loads without a component across the guides, where the two
  // reactions are opposite; for all loads, it takes mu_1 + mu_2 < 2 / tan theta.
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> angle(0.2, 1.4), friction(0, 4);
  int unique = 0, several_or_none = 0, every_load = 0;
  for (int k = 0; k < 10000; ++k) {
    const double theta = angle(engine), mu_1 = friction(engine), mu_2 = friction(engine);
    const double margin = std::abs(mu_1 - mu_2) - 2 / std::tan(theta);
    const double margin_for_all = mu_1 + mu_2 - 2 / std::tan(theta);
    if (std::min(std::abs(margin), std::abs(margin_for_all)) < 1e-6) continue;
    const SlidingMatrices A = sliding_matrices(painleve_klein(theta, mu_1, mu_2));
    bool one = true;
    for (const double load : {-1.0, 1.0}) {
      one = one && enumerate_hlcp(bilateral_problem(A, VectorXd{{load, -load}})).size() == 1;
    }
    CHECK(one == (margin < 0));
    ++(one ? unique : several_or_none);
    const auto M = hlcp_matrix(bilateral_problem(A, VectorXd::Zero(2)));
    REQUIRE(M);
    CHECK((is_P_matrix(*M) == Verdict::yes) == (margin_for_all < 0));
    every_load += margin_for_all < 0;
  }
  CHECK(unique > 1000);
  CHECK(several_or_none > 1000);
  CHECK(every_load > 500);
}

TEST_CASE("ladder: the bound of the book and the sharper one, each in two ways, and a P-matrix") {
  // At 45 degrees, with the slips of a ladder that falls, all is rational [BBB16, (58)]:
  //     M_ub^μ = 1/(5 + 3μ) (5 − 3μ,  3 − μ; 4μ,  8 − 4μ²).
  const double theta = std::numbers::pi / 4;
  const SlidingMatrices smooth = sliding_matrices(ladder(theta, 0, 0));
  const auto by_hand = [](double mu) -> Mat<2> {
    return Mat<2>{{5 - 3 * mu, 3 - mu}, {4 * mu, 8 - 4 * mu * mu}} / (5 + 3 * mu);
  };
  const Mat<2> M_0 = by_hand(0);
  for (const double mu : {0.0, 0.3, 0.65, 1.2})
    CHECK((mixed_matrix(smooth, mu) - by_hand(mu)).norm() < 1e-13);
  // The second way: a scan of the cube for β₂ and of μ for the norm.
  double beta = 0;
  for (int i = 0; i <= 400; ++i) {
    for (int j = 0; j <= 400; ++j) {
      const Vec<2> d(i / 400.0, j / 400.0);
      const Mat<2> D = d.asDiagonal();
      const Mat<2> B = Mat<2>::Identity() - D + D * M_0;
      beta = std::max(beta, norm_of_2x2(B.inverse() * D));
    }
  }
  CHECK(beta == doctest::Approx(beta_2(M_0)).epsilon(1e-12));  // taken at d = (1, 1)
  double scanned = 0;
  while (norm_of_2x2(by_hand(scanned) - M_0) * beta < 1) scanned += 1e-5;
  const double bound = mixed_bound(smooth);
  CHECK(std::abs(bound - scanned) <= 1e-5);
  CHECK(bound == doctest::Approx(0.7519).epsilon(1e-4));

  // [BBB16, §3.4.1] reads "around 0.65" off its Fig. 2b: ‖P‖_F = 1, that is
  //     μ² (36 + 7.84 + 16 + (4μ + 4.8)²) = (5 + 3μ)².
  const double printed = printed_mixed_bound(smooth), quartic = 4 * printed + 4.8;
  CHECK(printed * std::sqrt(36 + 7.84 + 16 + quartic * quartic) ==
        doctest::Approx(5 + 3 * printed).epsilon(1e-12));
  CHECK(std::round(100 * printed) == 65);
  // 1 is what β₂ maximises at the corner d = (1, 0), and it does not grow from there along either
  // side of the cube to first order, so that a descent that starts there stays.
  const auto maximised = [&](double d_1, double d_2) {
    const Mat<2> D = Vec<2>(d_1, d_2).asDiagonal();
    const Mat<2> B = Mat<2>::Identity() - D + D * M_0;
    return norm_of_2x2(B.inverse() * D);
  };
  CHECK(maximised(1, 0) == 1);
  CHECK(maximised(1 - 1e-5, 0) <= 1);
  CHECK(maximised(1, 1e-5) - 1 < 1e-9);
  CHECK(printed < bound);

  int inside = 0, outside = 0, inside_printed = 0, inside_bound = 0;
  for (int i = 0; i <= 40; ++i) {
    for (int j = 0; j <= 40; ++j) {
      const double mu_b = 2 * i / 40.0, mu_u = 2 * j / 40.0;
      const SlidingMatrices A = sliding_matrices(ladder(theta, mu_b, mu_u));
      const bool P = is_P_matrix(mixed_matrix(A)) == Verdict::yes;
      // The second way: forces → accelerations is a piecewise linear map of the plane, one to one
      // exactly when its four pieces (wall pushes or pulls, ground carries or not) keep the
      // orientation.
      bool coherent = true;
      for (const int sign : {1, -1}) {
        const double a = A.A_nb(0, 0) - sign * A.A_tb(0, 0) * mu_b;
        const double b = A.A_nbnu(0, 0) - A.A_nbtu(0, 0) * mu_u;
        const double c = A.A_nbnu(0, 0) - sign * A.A_nutb(0, 0) * mu_b;
        const double d = A.A_nu(0, 0) - A.A_tu(0, 0) * mu_u;
        coherent = coherent && a > 0 && a * d - b * c > 0;
      }
      CHECK(P == coherent);
      if (std::max(mu_b, mu_u) < bound) CHECK(P);
      inside_printed += std::max(mu_b, mu_u) < printed && P;
      inside_bound += std::max(mu_b, mu_u) < bound && P;
      ++(P ? inside : outside);
    }
  }
  CHECK(inside_printed == 13 * 13);  // the squares [0, 0.65) and [0, 0.75), in steps of 0.05
  CHECK(inside_bound == 16 * 16);
  CHECK(inside > 2 * inside_bound);
  CHECK(outside > 10);
}

TEST_CASE("sliding rod: Painleve's critical friction is that of the books, least 4/3") {
  const double degree = std::numbers::pi / 180;
  const std::vector<std::pair<double, double>> table = {
      {30, 2.501851}, {45, 1.666667}, {60, 1.347151}, {70, 1.401119}, {80, 2.125530}};
  for (const auto& [theta, expected] : table) {
    const ContactSystem rod = sliding_rod(theta * degree, 0.5);
    CHECK(painleve_ratios(rod).critical[0] == doctest::Approx(expected).epsilon(1e-6));
    CHECK(unilateral_bound(sliding_matrices(rod)) == doctest::Approx(expected).epsilon(1e-6));
  }
  double least = 10;
  for (int k = 1; k < 9000; ++k) {
    const double theta = k * 0.01 * degree;
    const double c = std::cos(theta), s = std::sin(theta);
    const double critical = painleve_ratios(sliding_rod(theta, 1)).critical[0];
    CHECK(critical == doctest::Approx((1 + 3 * c * c) / (3 * s * c)).epsilon(1e-10));
    least = std::min(least, critical);
  }
  CHECK(least == doctest::Approx(4.0 / 3).epsilon(1e-7));
  // Inside and outside: one force, or none or two depending on the load.
  const MatrixXd inside = unilateral_matrix(sliding_matrices(sliding_rod(std::atan(2.0), 1.3)));
  CHECK(enumerate_lcp(inside, VectorXd::Constant(1, -1)).size() == 1);
  const MatrixXd outside = unilateral_matrix(sliding_matrices(sliding_rod(std::atan(2.0), 1.4)));
  CHECK(enumerate_lcp(outside, VectorXd::Constant(1, -1)).empty());
  CHECK(enumerate_lcp(outside, VectorXd::Constant(1, 1)).size() == 2);
}

TEST_CASE("disk in an angle: a P-matrix exactly when mu_1 mu_2 < 1 or the slips are opposed") {
  // [B12, Example 6]
  Gradients g{VectorXd{{2, 2, 0.7}}, MatrixXd(2, 3), MatrixXd(2, 3)};
  g.normal << 0, 1, 0, 1, 0, 0;
  g.tangent << 1, 0, 0.5, 0, 1, 0.5;
  for (const double sign : {1.0, -1.0}) {
    for (int i = 0; i < 30; ++i) {
      for (int j = 0; j < 30; ++j) {
        const double mu_1 = 0.1 * i + 0.05, mu_2 = 0.1 * j + 0.03;
        ContactSystem system;
        system.bilateral = empty_constraints(0, 1, 3);
        system.unilateral = constraints(g, VectorXd{{mu_1, mu_2}}, VectorXd{{1, sign}});
        const MatrixXd D = unilateral_matrix(sliding_matrices(system));
        CHECK((is_P_matrix(D) == Verdict::yes) == (sign < 0 || mu_1 * mu_2 < 1));
      }
    }
  }
  // [B12, Proposition 14] by hand, G = I and n_qᵀH_T = [0 1; 1 0]/√m: as stated, with roots of sums
  // of squares, √2 (μ √2) < 1/√2; its proof, √2 μ < 1/√2; with spectral norms μ √2 < 1 and μ < 1.
  ContactSystem system;
  system.bilateral = empty_constraints(0, 1, 3);
  system.unilateral = constraints(g, VectorXd{{0.5, 0.5}}, VectorXd{{1, 1}});
  const KineticBounds kinetic = kinetic_bounds(sliding_matrices(system));
  CHECK(kinetic.statement == doctest::Approx(1 / std::sqrt(8.0)).epsilon(1e-12));
  CHECK(kinetic.proof == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(kinetic.spectral_statement == doctest::Approx(1 / std::sqrt(2.0)).epsilon(1e-12));
  CHECK(kinetic.spectral_proof == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("frictional impact oscillator: the critical friction is tan + (m1/m2)/tan") {
  // A mass m₂ moves vertically; a massless rod at the angle θ to the vertical carries a mass m₁ at
  // its tip, which slides on a rough floor. q̇ = (ẏ of m₂, L θ̇) [B12, §4.1].
  for (int k = 1; k < 80; ++k) {
    const double theta = k * std::numbers::pi / 160, ratio = 0.3;  // m₁/m₂
    const double c = std::cos(theta), s = std::sin(theta), m_2 = 1.7, m_1 = ratio * m_2;
    MatrixXd M(2, 2);  // its Cholesky factor stands for M^(1/2)
    M << m_1 + m_2, m_1 * s, m_1 * s, m_1;
    const MatrixXd weight = M.llt().matrixL().solve(MatrixXd::Identity(2, 2));
    const Eigen::RowVector2d n(1, s), t(0, c);
    const double A_nn = (n * weight.transpose()).squaredNorm();
    const double A_nt = (n * weight.transpose()).dot(t * weight.transpose());
    Gradients g{VectorXd::Ones(2), n * weight.transpose(), t * weight.transpose()};
    ContactSystem system;
    system.bilateral = empty_constraints(0, 1, 2);
    system.unilateral =
        constraints(g, VectorXd::Constant(1, 0.1), VectorXd::Constant(1, A_nt > 0 ? 1.0 : -1.0));
    CHECK(painleve_ratios(system).critical[0] == doctest::Approx(A_nn / std::abs(A_nt)));
    const double printed = std::tan(theta) + ratio / std::tan(theta);
    CHECK(painleve_ratios(system).critical[0] == doctest::Approx(printed).epsilon(1e-10));
    CHECK(printed >= 2 * std::sqrt(ratio) * (1 - 1e-12));
  }
}

TEST_CASE("random systems: below a bound there is one solution for every load") {
  RandomSystem random{std::mt19937(3)};
  constexpr int systems = 20000;  // half of them for Proposition 11
  int bilateral = 0, unilateral = 0, mixed = 0, smooth = 0, partly = 0;
  // Where the hypothesis fails by a factor, the conclusion need not hold, and often does not.
  constexpr double beyond = 8;
  int not_9 = 0, not_11 = 0, not_12 = 0, not_13 = 0, not_14 = 0, not_kinetic = 0;
  for (int k = 0; k < systems; ++k) {
    const Index dof = 5, m_b = 1 + k % 2, m_u = 1 + k % 3;
    ContactSystem system;
    system.bilateral = random.set(m_b, dof, 1);
    system.unilateral = random.set(m_u, dof, 1);
    const SlidingMatrices free = sliding_matrices(system);
    const auto scaled = [&](double mu_b, double mu_u) {
      SlidingMatrices A = free;
      A.mu_b *= mu_b;
      A.mu_u *= mu_u;
      return A;
    };
    const VectorXd w_b = random.matrix(m_b, 1), w_u = random.matrix(m_u, 1);

    const double mu_9 = 0.999 * bilateral_bound(free);  // Propositions 9 and 10
    const SlidingMatrices A_9 = scaled(mu_9, 0);
    CHECK(enumerate_hlcp(bilateral_problem(A_9, w_b)).size() == 1);
    not_9 += enumerate_hlcp(bilateral_problem(scaled(beyond * mu_9, 0), w_b)).size() != 1;
    const SlidingMatrices A_10 = scaled(mu_9 / 3, 0);
    const auto M_10 = hlcp_matrix(bilateral_problem(A_10, w_b));
    REQUIRE(M_10);
    CHECK(is_positive_definite(*M_10));
    ++bilateral;

    if (m_b == 2) {  // Proposition 11: the second constraint without friction
      SlidingMatrices A = free;
      A.mu_b[1] = 0;
      A.mu_b[0] = 0.999 * partly_frictionless_bound(A);
      CHECK(enumerate_hlcp(bilateral_problem(A, w_b)).size() == 1);
      ++partly;
      A.mu_b[0] *= beyond;
      not_11 += enumerate_hlcp(bilateral_problem(A, w_b)).size() != 1;
    }

    const double mu_12 = 0.999 * unilateral_bound(free);  // Proposition 12
    const SlidingMatrices A_12 = scaled(0, mu_12);
    CHECK(is_positive_definite(unilateral_matrix(A_12)));
    CHECK(enumerate_lcp(unilateral_matrix(A_12), w_u).size() == 1);
    ++unilateral;
    not_12 += enumerate_lcp(unilateral_matrix(scaled(0, beyond * mu_12)), w_u).size() != 1;
    const KineticBounds kinetic = kinetic_bounds(free);  // [B12, Proposition 14]
    CHECK(kinetic.statement <= kinetic.proof * (1 + 1e-12));
    CHECK(kinetic.proof <= kinetic.spectral_proof * (1 + 1e-12));
    CHECK(kinetic.statement <= kinetic.spectral_statement * (1 + 1e-12));
    CHECK(kinetic.spectral_statement <= kinetic.spectral_proof * (1 + 1e-12));
    CHECK(is_positive_definite(unilateral_matrix(scaled(0, 0.999 * kinetic.proof))));
    CHECK(is_P_matrix(unilateral_matrix(scaled(0, 0.999 * kinetic.spectral_proof))) ==
          Verdict::yes);
    not_kinetic +=
        is_P_matrix(unilateral_matrix(scaled(0, beyond * kinetic.spectral_proof))) == Verdict::no;

    const double mu_14 = 0.999 * frictionless_bilateral_bound(free);  // Proposition 14
    const MatrixXd M_14 = mixed_matrix(scaled(0, mu_14));
    CHECK(is_P_matrix(M_14) == Verdict::yes);
    CHECK(enumerate_lcp(M_14.bottomRightCorner(m_u, m_u), w_u).size() == 1);
    ++smooth;
    not_14 += is_P_matrix(mixed_matrix(scaled(0, beyond * mu_14))) == Verdict::no;

    const double mu_13 = 0.999 * mixed_bound(free);  // Proposition 13
    if (mu_13 <= 0) continue;
    SlidingMatrices A_13 = free;
    A_13.mu_b.setConstant(mu_13);
    A_13.mu_u.setConstant(mu_13);
    const MatrixXd M_13 = mixed_matrix(A_13);
    CHECK(is_P_matrix(M_13) == Verdict::yes);
    VectorXd z(m_b + m_u);
    z << w_b, w_u;
    CHECK(enumerate_lcp(M_13, z).size() == 1);
    ++mixed;
    not_13 += is_P_matrix(mixed_matrix(free, beyond * mu_13)) == Verdict::no;
  }
  CHECK(bilateral == systems);
  CHECK(unilateral == systems);
  CHECK(smooth == systems);
  CHECK(partly == systems / 2);
  for (const int count : {not_9, not_12, not_14, not_kinetic}) CHECK(count > systems / 20);
  for (const int count : {not_11, not_13}) CHECK(count > systems / 40);
  CHECK(mixed > 10000);
}

TEST_CASE(
    "random systems: one contact, or friction that couples symmetrically, up to its own bound") {
  // [B12, Propositions 12 and 13]: below the bound one solution for every load, beyond it not.
  RandomSystem random{std::mt19937(6)};
  int finite = 0;
  for (int k = 0; k < 20000; ++k) {
    const Index m = 1 + k % 3, dof = 5;
    const MatrixXd N = random.matrix(m, dof);
    VectorXd mu(m);
    for (Index i = 0; i < m; ++i) mu[i] = 0.1 + std::abs(random.number());
    MatrixXd S = random.matrix(m, m);
    S += S.transpose().eval();
    // Tangents with N Tᵀ [μ] = S.
    const MatrixXd T =
        (N.transpose() * (N * N.transpose()).inverse() * S * mu.cwiseInverse().asDiagonal())
            .transpose();
    ContactSystem system;
    system.bilateral = empty_constraints(0, 1, dof);
    system.unilateral = constraints({VectorXd::Ones(dof), N, T}, mu, VectorXd::Ones(m));
    const std::optional<double> bound = symmetric_bound(sliding_matrices(system));
    REQUIRE(bound);
    const double critical = painleve_ratios(system).critical[0];  // of this direction of slip
    if (m == 1) CHECK(std::isfinite(*bound) == std::isfinite(critical));
    if (!std::isfinite(*bound)) continue;
    if (m == 1) CHECK(*bound == doctest::Approx(critical).epsilon(1e-9));
    ++finite;
    const auto at = [&](double part) {
      ContactSystem scaled = system;
      scaled.unilateral.friction *= part * *bound / mu.maxCoeff();
      return unilateral_matrix(sliding_matrices(scaled));
    };
    CHECK(is_positive_definite(at(0.999)));
    CHECK_FALSE(is_positive_definite(at(1.001)));
    for (int load = 0; load < 5; ++load)
      CHECK(enumerate_lcp(at(0.999), random.matrix(m, 1)).size() == 1);
    if (m == 1) {
      CHECK(enumerate_lcp(at(1.001), VectorXd::Constant(1, -1)).empty());
      CHECK(enumerate_lcp(at(1.001), VectorXd::Constant(1, 1)).size() == 2);
    }
  }
  CHECK(finite > 10000);
  CHECK_FALSE(symmetric_bound(sliding_matrices([&] {
    ContactSystem any;
    any.bilateral = empty_constraints(0, 1, 5);
    any.unilateral = random.set(3, 5, 1);
    return any;
  }())));
}

TEST_CASE(
    "without friction: independent constraints have unique forces, others unique accelerations") {
  // Propositions 1, 3, 5 and 7 on random systems, some of them redundant.
  RandomSystem random{std::mt19937(4)};
  int independent = 0, redundant = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index dof = 4, m_b = k % 3, m_u = 1 + k % 4;
    MatrixXd N_b = random.matrix(m_b, dof), N_u = random.matrix(m_u, dof);
    if (k % 5 == 0 && m_u > 1) N_u.row(1) = 2 * N_u.row(0);
    MatrixXd both(m_b + m_u, dof);
    both << N_b, N_u;
    const bool full = Eigen::FullPivLU<MatrixXd>(both).rank() == m_b + m_u;
    SlidingMatrices A;
    A.A_nb = N_b * N_b.transpose();
    A.A_nu = N_u * N_u.transpose();
    A.A_nbnu = N_b * N_u.transpose();
    const MatrixXd A_c = distorted_delassus(A);
    CHECK((is_P_matrix(A_c) == Verdict::yes &&
           definiteness(A_c).smallest > 1e-9 * definiteness(A_c).largest) == full);
    const VectorXd force = random.matrix(dof, 1);  // w in the image: solvable [Proposition 3(v)]
    const MixedProblem problem{A.A_nb, A.A_nbnu,    A.A_nbnu.transpose(),
                               A.A_nu, N_b * force, N_u * force};
    const auto all = enumerate_mlcp(problem);
    REQUIRE(!all.empty());
    const VectorXd first = N_b.transpose() * all[0].x + N_u.transpose() * all[0].y;
    for (const MixedSolution& solution : all) {
      const VectorXd other = N_b.transpose() * solution.x + N_u.transpose() * solution.y;
      CHECK((other - first).norm() < 1e-6 * (1 + first.norm()));
    }
    if (full) {
      ++independent;
      CHECK(all.size() == 1);
      CHECK(all[0].freedom == 0);
    } else {
      ++redundant;
    }
  }
  CHECK(independent > 2000);
  CHECK(redundant > 1000);
}

TEST_CASE("without friction a load has a solution exactly when it does no work on idle forces") {
  // [BBB16, Propositions 1(ii), 3(iii-v), 7(iv-vi)]: not so when some λ with ∇h λ = 0, λ_u ≥ 0 has
  // λᵀw < 0. Three ways: enumeration, Lemke's method in the report, and that criterion. And of two
  // solutions λᵀw is the same [Propositions 3(ii), 7(ii)].
  RandomSystem random{std::mt19937(7)};
  int solvable = 0, not_solvable = 0, families = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index dof = 3, m_b = k % 3, m_u = 2 + k % 2;
    MatrixXd N_b = random.matrix(m_b, dof), N_u = random.matrix(m_u, dof);
    if (k % 4 < 2) N_u.row(1) = (k % 4 == 0 ? -1.5 : 2) * N_u.row(0);
    if (m_b == 2 && k % 5 < 2) N_b.row(1) = -N_b.row(0);
    const VectorXd force = random.matrix(dof, 1);
    VectorXd w_b = N_b * force, w_u = N_u * force;
    if (k % 7 < 5) w_u += random.matrix(m_u, 1);  // ∇h moves with the bodies
    if (k % 7 < 2) w_b += random.matrix(m_b, 1);
    const MixedProblem problem{N_b * N_b.transpose(),
                               N_b * N_u.transpose(),
                               N_u * N_b.transpose(),
                               N_u * N_u.transpose(),
                               w_b,
                               w_u};
    const std::vector<MixedSolution> all = enumerate_mlcp(problem);

    Cell idle;  // forces that do work on the load
    idle.A.resize(dof, m_b + m_u);
    idle.A << N_b.transpose(), N_u.transpose();
    idle.b = VectorXd::Zero(dof);
    idle.C = MatrixXd::Zero(m_u + 1, m_b + m_u);
    idle.C.topRightCorner(m_u, m_u).setIdentity();
    idle.C.bottomRows(1) << -w_b.transpose(), -w_u.transpose();
    idle.d = VectorXd::Zero(m_u + 1);
    idle.d[m_u] = -1;
    const bool expected = !find_point(idle);
    INFO("system ", k, ", ", all.size(), " solutions");
    CHECK(all.empty() != expected);

    ContactSystem system;
    const auto smooth = [&](const MatrixXd& N, const VectorXd& w) {
      ConstraintSet set = empty_constraints(N.rows(), 1, dof);
      set.normal = N.sparseView(1, 0);
      set.w_normal = w;
      return set;
    };
    system.bilateral = smooth(N_b, w_b);
    system.unilateral = smooth(N_u, w_u);
    const WellPosedness report = well_posedness(system);
    CHECK(report.frictionless == (expected ? Verdict::yes : Verdict::no));
    REQUIRE(report.modes);
    CHECK(report.modes->solutions.empty() != expected);
    ++(expected ? solvable : not_solvable);
    for (const MixedSolution& solution : all) {
      families += solution.freedom > 0;
      const double work = w_b.dot(solution.x) + w_u.dot(solution.y);
      const double first = w_b.dot(all[0].x) + w_u.dot(all[0].y);
      CHECK(std::abs(work - first) < 1e-6 * (1 + std::abs(first)));
    }
  }
  CHECK(solvable > 3500);
  CHECK(not_solvable > 1000);
  CHECK(families > 500);
}

TEST_CASE("copositive sliding problems with admissible loads have a solution") {
  // [B12, Proposition 15] and [BBB16, Corollary 2]: q is admissible when vᵀq ≥ 0 for all v with
  // 0 ≤ v ⟂ M v ≥ 0. Half of the systems are squeezed, so that there are such v.
  RandomSystem random{std::mt19937(5)};
  int tested = 0, squeezed = 0, refused = 0;
  for (int k = 0; k < 10000; ++k) {
    const Index n = 2 + k % 3;
    ContactSystem system;
    system.bilateral = empty_constraints(0, 1, n);
    system.unilateral = random.set(n, n, k % 2 == 0 ? 3 : 0.5);
    if (k % 2 == 1) {  // pressed from both sides of one place
      ConstraintSet& u = system.unilateral;
      MatrixXd N(u.normal), T(u.tangent);
      N.row(1) = -N.row(0);
      T.row(1) = -T.row(0);
      u.normal = N.sparseView(1, 0);
      u.tangent = T.sparseView(1, 0);
      u.friction[1] = u.friction[0];
      u.slip(0, 1) = u.slip(0, 0);
    }
    const MatrixXd M = unilateral_matrix(sliding_matrices(system));
    if (is_copositive(M) != Verdict::yes) continue;
    const VectorXd q = random.matrix(n, 1);
    if (!is_admissible(M, q)) {
      ++refused;
      continue;
    }
    ++tested;
    squeezed += k % 2;
    CHECK(!enumerate_lcp(M, q).empty());
  }
  CHECK(tested > 400);
  CHECK(squeezed > 200);
  CHECK(refused > 100);

  // [BBB16, Corollary 2]: couplings of friction that are not positive make A_n − A_t[μ][ξ]
  // copositive, A_n of constraints that may depend on each other.
  int covered = 0, none = 0;
  for (int k = 0; k < 30000; ++k) {
    const Index n = 2 + k % 3;
    const MatrixXd N = random.matrix(n, 1 + k % n);
    MatrixXd M = N * N.transpose() + random.matrix(n, n).cwiseMax(0.0) * (k % 2);
    if (k % 3 == 0) {  // pressed from both sides of one place
      M.row(1) = -M.row(0);
      M.col(1) = -M.col(0);
      M(1, 1) = M(0, 0);
    }
    if (is_copositive(M) != Verdict::yes) continue;
    const VectorXd q = random.matrix(n, 1);
    const bool solvable = !enumerate_lcp(M, q).empty();
    none += !solvable;
    if (!is_admissible(M, q)) continue;
    ++covered;
    CHECK(solvable);
  }
  CHECK(covered > 10000);
  CHECK(none > 500);
}
