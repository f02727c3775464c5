// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers in three formulations [BBB16, (4), (5), (27), Appendix E; A05, §2].
#include "solvers/analysis/constrained_motion.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "solvers/complementarity/lcp.hpp"
#include "solvers/impact/struck_motion.hpp"

using namespace talus;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Systems {
 public:
  explicit Systems(unsigned seed) : engine_(seed) {}

  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  double real(double low, double high) {
    return std::uniform_real_distribution(low, high)(engine_);
  }
  MatrixXd matrix(Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns,
                                 [&] { return std::normal_distribution<double>()(engine_); });
  }
  MatrixXd orthogonal(Index n) {
    return Eigen::HouseholderQR<MatrixXd>(matrix(n, n)).householderQ() * MatrixXd::Identity(n, n);
  }
  // Symmetric with `rank` eigenvalues between 0.3 and 3, the others zero.
  MatrixXd mass(Index n, Index rank) {
    const MatrixXd Q = orthogonal(n);
    VectorXd values = VectorXd::Zero(n);
    for (Index i = 0; i < rank; ++i) values[i] = real(0.3, 3);
    return Q * values.asDiagonal() * Q.transpose();
  }
  // m × n with `rank` singular values between 0.5 and 2, the others zero.
  MatrixXd jacobian(Index m, Index n, Index rank) {
    MatrixXd values = MatrixXd::Zero(m, n);
    for (Index i = 0; i < rank; ++i) values(i, i) = real(0.5, 2);
    if (m == 0) return values;
    return orthogonal(m) * values * orthogonal(n);
  }

 private:
  std::mt19937 engine_;
};

Index rank(const MatrixXd& A) {
  if (A.size() == 0) return 0;
  const VectorXd values = A.jacobiSvd().singularValues();
  return (values.array() > 1e-9 * std::max(1.0, values[0])).count();
}

MatrixXd beside(const MatrixXd& A, const MatrixXd& B) {
  MatrixXd both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return both;
}

MatrixXd below(const MatrixXd& A, const MatrixXd& B) {
  return beside(A.transpose(), B.transpose()).transpose();
}

Index common(const MatrixXd& A, const MatrixXd& B) {  // dim(Im A ∩ Im B)
  return rank(A) + rank(B) - rank(beside(A, B));
}

}  // namespace

TEST_CASE("KKT, Gauss and projection give one acceleration and one set of multipliers") {
  Systems random(20);
  for (int trial = 0; trial < 10000; ++trial) {
    const Index n = random.whole(1, 7), m = random.whole(0, 9);
    const Index r = m == 0 ? 0 : random.whole(0, static_cast<int>(std::min(m, n)));
    ConstrainedSystem system{random.mass(n, n), random.jacobian(m, n, r), random.matrix(n, 1), {}};
    system.c = system.A * random.matrix(n, 1);
    REQUIRE(determines_motion(system));
    const auto kkt = by_kkt(system), gauss = by_gauss(system);
    REQUIRE(kkt);
    REQUIRE(gauss);
    const ConstrainedMotion projection = by_projection(system);
    const double size = 1 + kkt->acceleration.norm() + kkt->multipliers.norm();
    CHECK((kkt->acceleration - gauss->acceleration).norm() < 1e-10 * size);
    CHECK((kkt->acceleration - projection.acceleration).norm() < 1e-10 * size);
    CHECK((kkt->multipliers - gauss->multipliers).norm() < 1e-10 * size);
    CHECK((kkt->multipliers - projection.multipliers).norm() < 1e-10 * size);
    CHECK((system.A * kkt->acceleration + system.c).norm() < 1e-10 * size);
    CHECK(
        (system.M * kkt->acceleration - system.Q - system.A.transpose() * kkt->multipliers).norm() <
        1e-10 * size);
    if (r == m || r == n) continue;
    system.c = random.matrix(m, 1);  // contradictory, but for chance
    CHECK(!by_kkt(system));
    CHECK(!by_gauss(system));
  }
}

// Redundant constraints that hold a system still under its load: c is rounding of it, and no
// contradiction.
TEST_CASE("what balances its load is at rest in every formulation") {
  Systems random(25);
  for (int trial = 0; trial < 10000; ++trial) {
    const Index n = random.whole(1, 6), m = n + random.whole(1, 4);
    ConstrainedSystem system{
        random.mass(n, n), random.jacobian(m, n, n), 9.81 * random.matrix(n, 1), {}};
    system.c = 1e-15 * random.matrix(m, 1);
    const auto kkt = by_kkt(system), gauss = by_gauss(system);
    REQUIRE(kkt);
    REQUIRE(gauss);
    const ConstrainedMotion projection = by_projection(system);
    for (const ConstrainedMotion& motion : {*kkt, *gauss, projection}) {
      CHECK(motion.acceleration.norm() < 1e-11);
      CHECK((system.A.transpose() * motion.multipliers + system.Q).norm() <
            1e-10 * system.Q.norm());
    }
  }
}

TEST_CASE("Gauss's principle with unilateral constraints solves the contact LCP") {
  Systems random(21);
  int touching = 0, opening = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Index n = random.whole(2, 7), m_b = random.whole(0, 2), m_u = random.whole(1, 6);
    const Index r = std::min<Index>(m_b, n - 1);
    ConstrainedSystem system{
        random.mass(n, n), random.jacobian(m_b, n, r), random.matrix(n, 1), {}};
    const VectorXd z = random.matrix(n, 1);  // keeps all constraints, so that there is a solution
    system.c = -system.A * z;
    const MatrixXd B = random.matrix(m_u, n);
    const VectorXd d = random.matrix(m_u, 1).cwiseMax(0.0) - B * z;
    const auto q = by_gauss(system, B, d);
    REQUIRE(q);
    // (31): the LCP distorted by the bilateral constraints, from their KKT systems.
    const auto response = [&](const VectorXd& Q, const VectorXd& c) {
      return by_kkt({system.M, system.A, Q, c})->acceleration;
    };
    const VectorXd free = response(system.Q, system.c), none = VectorXd::Zero(m_b);
    MatrixXd A_c(m_u, m_u);
    for (Index k = 0; k < m_u; ++k) A_c.col(k) = B * response(B.row(k).transpose(), none);
    const LemkeAnswer lcp = solve_lemke(A_c, B * free + d);
    REQUIRE(lcp.end == LemkeEnd::solved);
    const VectorXd expected = response(system.Q + B.transpose() * lcp.z, system.c);
    CHECK((*q - expected).norm() < 1e-7 * (1 + expected.norm() + lcp.z.norm()));
    (lcp.z.maxCoeff() > 1e-6 ? touching : opening)++;
  }
  CHECK(touching > 5000);
  CHECK(opening > 300);
}

// M may be singular: a motion is determined exactly where Ker M ∩ Ker A = {0}, item (iv), and with
// independent constraints exactly where the bordered matrix is regular, item (iii'). Its rank is
// (69).
TEST_CASE("Appendix E: with singular mass matrices ranks tell whether a motion is determined") {
  Systems random(22);
  int determined = 0, open = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const Index n = random.whole(1, 6), m = random.whole(0, 6);
    const Index r = m == 0 ? 0 : random.whole(0, static_cast<int>(std::min(m, n)));
    ConstrainedSystem system{random.mass(n, random.whole(0, static_cast<int>(n))),
                             random.jacobian(m, n, r),
                             random.matrix(n, 1),
                             {}};
    // Massless freedoms that constraints hold, as often as chance would not have it.
    if (trial % 2 == 0 && r > 0) {
      const MatrixXd inverse = system.A.completeOrthogonalDecomposition().pseudoInverse();
      system.M = (MatrixXd::Identity(n, n) - inverse * system.A).unaryExpr([](double entry) {
        return std::abs(entry) < 1e-12 ? 0.0 : entry;
      });
    }
    system.c = system.A * random.matrix(n, 1);
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = system.M;
    K.topRightCorner(n, m) = -system.A.transpose();
    K.bottomLeftCorner(m, n) = system.A;
    const MatrixXd F = system.A.transpose();
    const MatrixXd MF = below(system.M, system.A), F0 = below(F, MatrixXd::Zero(m, m));
    CHECK(rank(K) == rank(system.M) + 2 * rank(F) - common(system.M, F) - common(MF, F0));
    const bool expected = rank(K) == n + r;  // (iv): what is not unique are multipliers alone
    CHECK(determines_motion(system) == expected);
    CHECK((rank(K) == n + m) == (expected && r == m));  // (iii')
    (expected ? determined : open)++;
    if (!expected) continue;
    const auto kkt = by_kkt(system), gauss = by_gauss(system);
    REQUIRE(kkt);
    REQUIRE(gauss);
    const double size = 1 + kkt->acceleration.norm() + kkt->multipliers.norm();
    CHECK((kkt->acceleration - gauss->acceleration).norm() < 1e-7 * size);
    CHECK((kkt->multipliers - gauss->multipliers).norm() < 1e-7 * size);
    CHECK((system.M * kkt->acceleration - system.Q - F * kkt->multipliers).norm() < 1e-8 * size);
  }
  CHECK(determined > 2000);
  CHECK(open > 2000);
}

// A particle on a circle, twice constrained: q̈ across the circle is −(v²/l²) q, which (6) gives
// with Ω = Λ − Λᵀ and not with the printed sign.
TEST_CASE("Aghili's turning rate is the centripetal acceleration, and twice the half of P's rate") {
  Systems random(23);
  for (int trial = 0; trial < 1000; ++trial) {
    const double phi = random.real(0, 6.3), l = random.real(0.5, 2), rate = random.real(-3, 3);
    const auto jacobian = [&](double angle) {
      MatrixXd A(2, 2);
      A << std::cos(angle), std::sin(angle), 2 * std::cos(angle), 2 * std::sin(angle);
      return A;
    };
    const auto projector = [&](double t) {
      return ObliqueProjection(MatrixXd::Identity(2, 2), jacobian(phi + rate * t)).P;
    };
    MatrixXd A_dot(2, 2);
    A_dot << -std::sin(phi), std::cos(phi), -2 * std::sin(phi), 2 * std::cos(phi);
    A_dot *= rate;
    const VectorXd q = l * Vec<2>(std::cos(phi), std::sin(phi)),
                   v = l * rate * Vec<2>(-std::sin(phi), std::cos(phi));
    const MatrixXd M = random.mass(2, 2);
    const ObliqueProjection o(M, jacobian(phi));
    const MatrixXd Omega = turning_rate(o, A_dot);
    CHECK((Omega + Omega.transpose()).norm() < 1e-14);
    CHECK((Omega * v + rate * rate * q).norm() < 1e-12 * (1 + rate * rate * l));
    const MatrixXd Lambda = -o.A_pinv * A_dot * o.P;
    const double h = 1e-5;
    const MatrixXd P_dot = (projector(h) - projector(-h)) / (2 * h);
    CHECK((P_dot - Lambda - Lambda.transpose()).norm() < 1e-8 * (1 + std::abs(rate)));
    // (9e): ν M_c⁻¹ Ω q̇ = Ω q̇
    const double nu = (M * o.P).trace();  // n − r = 1
    CHECK((nu * VectorXd(constraint_inertia(M, o.P).lu().solve(Omega * v)) - Omega * v).norm() <
          1e-12 * (1 + rate * rate * l));
    // (13): the whole acceleration under a force, against the KKT system.
    const VectorXd Q = random.matrix(2, 1), free = M.lu().solve(Q);
    const VectorXd q_ddot = free - o.S * free + o.S * Omega * v;
    const auto kkt = by_kkt({M, jacobian(phi), Q, A_dot * v});
    REQUIRE(kkt);
    CHECK((q_ddot - kkt->acceleration).norm() < 1e-10 * (1 + q_ddot.norm()));
  }
}

TEST_CASE("the constraint inertia matrix has the least condition number there is") {
  // A body pinned at its centre: only its small inertia is left.
  MatrixXd M = Eigen::Vector3d(1, 1, 1e-6).asDiagonal();
  const auto condition = [](const MatrixXd& A) {
    const VectorXd values = A.selfadjointView<Eigen::Lower>().eigenvalues();
    return values.maxCoeff() / values.minCoeff();
  };
  MatrixXd pin(2, 3);
  pin << 1, 0, 0, 0, 1, 0;
  CHECK(condition(constraint_inertia(M, ObliqueProjection(M, pin).P)) ==
        doctest::Approx(1).epsilon(1e-9));
  Systems random(24);
  for (int trial = 0; trial < 10000; ++trial) {
    const Index n = random.whole(2, 7), m = random.whole(1, 6);
    const Index r = random.whole(1, static_cast<int>(std::min(m, n - 1)));
    M = random.mass(n, n) * std::pow(10, random.real(-6, 6));
    const ObliqueProjection o(M, random.jacobian(m, n, r));
    const VectorXd values = MatrixXd(o.P * M * o.P).selfadjointView<Eigen::Lower>().eigenvalues();
    const double least = values[r], largest = values[n - 1];  // the first r are zero
    const MatrixXd M_c = constraint_inertia(M, o.P);
    CHECK(condition(M_c) == doctest::Approx(largest / least).epsilon(1e-6));  // (9f), (61)
    CHECK((o.P * M_c - o.P * M * o.P).norm() < 1e-11 * M.norm());             // (9b)
  }
}
