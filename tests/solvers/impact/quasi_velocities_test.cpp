// SPDX-License-Identifier: Apache-2.0
// The six example systems of [B12, §2.3] in closed form, as their own definitions give them where
// the document's formulas are misprinted (docs/theory.md). Coefficients of λ_n and λ_t in (24) are
// n_qᵀ∇h, n_qᵀH_T and t_qᵀH_T.
#include "solvers/impact/quasi_velocities.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "solvers/complementarity/matrix_class.hpp"
#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

// One body of the plane with points of contact against walls: normals point into the body's side,
// tangents as the document chooses v_t.
struct Planar {
  double m, I;
  Twist<2> v;
  ImpactProblem<2> impact;

  Planar(double mass, double inertia, double x, double y, double theta) : m(mass), I(inertia) {
    v.v = {x, y};
    v.omega[0] = theta;
    impact.bodies = {{}, {1 / m, SpinMat<2>::Constant(1 / I)}};
    impact.v_minus = {{}, v};
  }
  void touch(const Vec<2>& arm, const Vec<2>& normal, const Vec<2>& tangent) {
    ContactRow<2> row;
    row.a = 0;
    row.b = 1;
    row.frame.col(0) = normal;
    row.frame.col(1) = tangent;
    row.arm_a.setZero();
    row.arm_b = arm;
    impact.contacts.push_back(row);
    impact.coefficients.emplace_back();
  }
  double energy() const { return 0.5 * (m * v.v.squaredNorm() + I * v.omega[0] * v.omega[0]); }
};

void check_close(const Eigen::VectorXd& x, std::initializer_list<double> expected) {
  REQUIRE(x.size() == static_cast<Eigen::Index>(expected.size()));
  Eigen::Index i = 0;
  for (const double y : expected) CHECK(x[i++] == doctest::Approx(y).epsilon(1e-12));
}

void check_split(const QuasiVelocities& quasi, double energy) {
  const QuasiState state = quasi_state(quasi);
  CHECK(std::abs(state.normal_energy + state.tangential_energy - energy) <= 1e-12 * energy);
  CHECK((quasi.N * quasi.T.transpose()).norm() <= 1e-13);
  CHECK((quasi.T * quasi.T.transpose() - Eigen::MatrixXd::Identity(quasi.T.rows(), quasi.T.rows()))
            .norm() <= 1e-13);
}

const Vec<2> up(0, 1), right(1, 0);

}  // namespace

// §2.3.1. The printed t_q, (m₁ … m_N)/√Σm², is not orthogonal to the constraints; (1 … 1)/√Σm is.
TEST_CASE("example 1, chain of balls: q̇_norm,i = √(mm'/(m + m'))(q̇' − q̇), q̇_tan = Σ m q̇/√Σ m") {
  const std::vector<double> m = {1, 2, 0.5, 3}, q = {0.3, -1, 0.2, -0.7};
  const QuasiVelocities quasi = quasi_velocities<2>(ball_chain<2>(m, q, ImpactCoefficients{}));
  double momentum = 0, mass = 0, energy = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    momentum += m[i] * q[i];
    mass += m[i];
    energy += 0.5 * m[i] * q[i] * q[i];
  }
  for (int i = 0; i < 3; ++i) {
    const double a = m[at(i)], b = m[at(i + 1)];
    CHECK(quasi.normal()[i] ==
          doctest::Approx(std::sqrt(a * b / (a + b)) * (q[at(i + 1)] - q[at(i)])).epsilon(1e-12));
    if (i == 2) break;
    const double c = m[at(i + 2)];
    CHECK(quasi.G()(i, i + 1) ==
          doctest::Approx(-std::sqrt(a * c / ((a + b) * (b + c)))).epsilon(1e-12));
  }
  CHECK(quasi.tangential()[0] == doctest::Approx(momentum / std::sqrt(mass)).epsilon(1e-12));
  CHECK(quasi.tangential().tail(quasi.T.rows() - 1).norm() <= 1e-13);
  check_split(quasi, energy);
}

// §2.3.2, (32) and (33): the 1/m and 1/I of (33), the second root f(−θ) and two signs are lost.
TEST_CASE("example 2, rocking block at any tilt") {
  for (const double theta : {0.0, 0.2, -0.4, 1.1}) {
    const double m = 2, I = 0.3, l = 0.8, L = 0.5, s = std::sin(theta), c = std::cos(theta);
    Planar block(m, I, 0.7, -1.2, 0.4);
    const double x = 0.7, y = -1.2, w = 0.4;
    block.touch(Vec<2>(L / 2 * c + l / 2 * s, L / 2 * s - l / 2 * c), up, right);
    block.touch(Vec<2>(-L / 2 * c + l / 2 * s, -L / 2 * s - l / 2 * c), up, right);
    const QuasiVelocities quasi = quasi_velocities<2>(block.impact);
    const double a_1 = l / 2 * s + L / 2 * c, a_2 = l / 2 * s - L / 2 * c;  // ∂h/∂θ
    const double b_1 = l / 2 * c - L / 2 * s, b_2 = l / 2 * c + L / 2 * s;  // of H_T
    const double f_1 = 1 / m + a_1 * a_1 / I, f_2 = 1 / m + a_2 * a_2 / I;
    check_close(quasi.normal(), {(y + a_1 * w) / std::sqrt(f_1), (y + a_2 * w) / std::sqrt(f_2)});
    check_close(quasi.tangential(), {std::sqrt(m) * x});
    const Eigen::MatrixXd n_h = quasi.N * quasi.H_N, n_H = quasi.N * quasi.H_T;
    check_close(n_h.row(0) * std::sqrt(f_1), {f_1, 1 / m + a_1 * a_2 / I});
    check_close(n_h.row(1) * std::sqrt(f_2), {1 / m + a_1 * a_2 / I, f_2});
    check_close(n_H.row(0) * std::sqrt(f_1), {a_1 * b_1 / I, a_1 * b_2 / I});
    check_close(n_H.row(1) * std::sqrt(f_2), {a_2 * b_1 / I, a_2 * b_2 / I});
    // As (33) has them, with l² + L² in the coefficient of λ_t,2 that is printed with l² − L².
    CHECK(a_1 * b_2 == doctest::Approx((l * l + L * L) / 4 * c * s + L * l / 4).epsilon(1e-12));
    check_close((quasi.T * quasi.H_T).row(0), {1 / std::sqrt(m), 1 / std::sqrt(m)});
    check_split(quasi, block.energy());
  }
}

// §2.3.3, (35): the root of the first and m, I of the third are lost.
TEST_CASE("example 3, rod on a plane") {
  for (const double theta : {0.1, 0.7, 1.4}) {
    const double m = 1.5, l = 0.6, I = m * l * l / 3, s = std::sin(theta), c = std::cos(theta);
    const double x = 0.3, y = -0.8, w = 1.3;
    Planar rod(m, I, x, y, w);
    rod.touch(Vec<2>(-l * c, -l * s), up, right);
    const QuasiVelocities quasi = quasi_velocities<2>(rod.impact);
    check_close(quasi.normal(), {std::sqrt(m / (1 + 3 * c * c)) * (y - l * c * w)});
    check_close(quasi.tangential(),
                {std::sqrt(m) * x, (m * l * c * y + I * w) / std::sqrt(I + m * l * l * c * c)});
    // H_T = (1, 0, l sin θ): the coefficient of (85), −3 sin θ cos θ/(1 + 3 cos²θ).
    CHECK((quasi.N * quasi.H_T)(0, 0) / quasi.norms[0] ==
          doctest::Approx(-3 * s * c / (1 + 3 * c * c)).epsilon(1e-12));
    check_split(quasi, rod.energy());
  }
}

// §2.3.4: ∂h/∂φ = l sin φ − r cos φ (printed with −l sin φ), H_T = (1, 0, l cos φ + r sin φ)
// (printed (x, 0, −l)).
TEST_CASE("example 4, box with one corner on a plane") {
  for (const double phi : {0.0, 0.3, -0.2, 1.0}) {
    const double m = 2, k = 0.4, J = k * k * m, l = 1, r = 0.3;
    const double s = std::sin(phi), c = std::cos(phi), a = l * s - r * c, b = l * c + r * s;
    const double x = 0.5, y = -0.4, w = 0.9;
    Planar box(m, J, x, y, w);
    box.touch(Vec<2>(-r * c + l * s, -r * s - l * c), up, right);
    const QuasiVelocities quasi = quasi_velocities<2>(box.impact);
    check_close(quasi.normal(), {(y + a * w) / std::sqrt(1 / m + a * a / J)});
    const double sign = a <= 0 ? 1 : -1;  // of the second tangent, along +y
    check_close(quasi.tangential(),
                {std::sqrt(m) * x, sign * (-m * a * y + J * w) / std::sqrt(J + m * a * a)});
    CHECK((quasi.N * quasi.H_T)(0, 0) / quasi.norms[0] ==
          doctest::Approx(a * b / (k * k + a * a)).epsilon(1e-12));
    check_split(quasi, box.energy());
  }
}

TEST_CASE("example 5, disk over a plane") {
  const double m = 1.3, I = 0.2, R = 0.4;
  Planar disk(m, I, 0.2, -1, 3);
  disk.touch(Vec<2>(0, -R), up, right);
  const QuasiVelocities quasi = quasi_velocities<2>(disk.impact);
  check_close(quasi.normal(), {-std::sqrt(m)});
  check_close(quasi.tangential(), {0.2 * std::sqrt(m), 3 * std::sqrt(I)});
  check_close((quasi.T * quasi.H_T).col(0), {1 / std::sqrt(m), R / std::sqrt(I)});  // (36)
  CHECK((quasi.N * quasi.H_T).norm() <= 1e-15);
  check_split(quasi, disk.energy());
}

TEST_CASE("example 6, disk in an angle") {
  const double m = 1.3, I = 0.2, R = 0.4;
  Planar disk(m, I, 0.2, -1, 3);
  disk.touch(Vec<2>(0, -R), up, right);
  disk.touch(Vec<2>(-R, 0), right, -up);  // of a wall on the left; v_t,2 = −ẏ + Rθ̇
  const QuasiVelocities quasi = quasi_velocities<2>(disk.impact);
  check_close(quasi.normal(), {-std::sqrt(m), 0.2 * std::sqrt(m)});
  check_close(quasi.tangential(), {3 * std::sqrt(I)});
  // (37), up to the side of v_t,2: with both R > 0 the disk's own kinematics has −1 for λ_t,2.
  check_close((quasi.N * quasi.H_T).row(0), {0, -1 / std::sqrt(m)});
  check_close((quasi.N * quasi.H_T).row(1), {1 / std::sqrt(m), 0});
  check_close((quasi.T * quasi.H_T).row(0), {R / std::sqrt(I), R / std::sqrt(I)});
  check_split(quasi, disk.energy());
}

// (38): without friction q̇_tan does not jump, and q̇_norm jumps by G p̄; in space and with joints
// left out.
TEST_CASE("quasi-tangential velocities keep their values in impacts without friction") {
  std::mt19937 random(50);
  for (int k = 0; k < 10000; ++k) {
    ImpactProblem<2> impact = random_impact(random, 1 + k % 2, 2 + k % 2);
    const double energy = kinetic_energy<2>(impact, impact.v_minus);
    std::vector<Vec<2>> P;
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t i = 0; i < impact.size(); ++i) P.emplace_back(uniform(random), 0);
    const QuasiVelocities before = quasi_velocities<2>(impact);
    if (definiteness(before.G()).smallest < 1e-3) continue;  // G⁻¹ loses as many digits
    impact.v_minus = velocities_after<2>(impact, P);
    const QuasiVelocities after = quasi_velocities<2>(impact);
    Eigen::VectorXd p_bar(before.norms.size());
    for (std::size_t i = 0; i < P.size(); ++i)
      p_bar[static_cast<Eigen::Index>(i)] = before.norms[static_cast<Eigen::Index>(i)] * P[i][0];
    CHECK((after.tangential() - before.tangential()).norm() <= 1e-12 * before.w.norm());
    CHECK((after.normal() - before.normal() - before.G() * p_bar).norm() <=
          1e-12 * (1 + before.w.norm()));
    check_split(before, energy);
    // The same energies without a basis.
    const QuasiEnergies energies =
        quasi_energies<2>(impact, impact_delassus<2>(impact), impact.v_minus);
    const QuasiState state = quasi_state(after);
    CHECK(std::abs(energies.normal - state.normal_energy) <= 1e-10 * (1 + state.normal_energy));
    CHECK(std::abs(energies.tangential - state.tangential_energy) <=
          1e-10 * (1 + state.normal_energy));
  }
}
