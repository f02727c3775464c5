// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/kinetic_geometry.hpp"

#include <doctest/doctest.h>

#include <numbers>

using namespace talus;

TEST_CASE("a chain of balls has the normalised Delassus matrix of the books") {
  // [B12, §2.3.1], balls of masses 1, 2, 3 on a line; the printed prefactor −1/m_i reads −1/m_(i+1)
  // by its own definition of the normals.
  const std::vector<double> m = {1, 2, 3};
  std::vector<MassBlock<2>> mass(3);
  for (int i = 0; i < 3; ++i) mass[i].inverse_mass = 1 / m[i];
  std::vector<LinearRow<2>> rows(2);
  for (int i = 0; i < 2; ++i) {
    rows[i].a = i;
    rows[i].b = i + 1;
    rows[i].direction = Vec<2>(1, 0);
    rows[i].moment_a.setZero();
    rows[i].moment_b.setZero();
  }
  const KineticGradients<2> gradients = kinetic_gradients<2>(rows, mass);
  const Eigen::MatrixXd W = delassus(gradients.rows);
  CHECK(W(0, 0) == doctest::Approx(1.5));
  CHECK(W(1, 1) == doctest::Approx(0.5 + 1.0 / 3));
  CHECK(W(0, 1) == doctest::Approx(-0.5));
  const Eigen::MatrixXd G = normalised_delassus(gradients.rows);
  CHECK(G(0, 0) == doctest::Approx(1));
  const double expected = -1 / m[1] * std::sqrt(m[0] * m[1] * m[1] * m[2] / (3.0 * 5.0));
  CHECK(G(0, 1) == doctest::Approx(expected));
  CHECK(-std::cos(kinetic_angle(G(0, 1))) == doctest::Approx(G(0, 1)));

  // Kinetic energy splits into the quasi-normal part and that of the mean motion [B12, §2.1.1].
  const Vec<3> v(0.3, -1.1, 0.7);
  const Vec<2> u(v[1] - v[0], v[2] - v[1]);
  const double total = 0.5 * (m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]);
  const double momentum = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
  CHECK(quasi_normal_energy(gradients.rows, u) ==
        doctest::Approx(total - momentum * momentum / 12).epsilon(1e-12));
}

TEST_CASE("a contact's gradients reproduce its diagonal Delassus block, in space as well") {
  std::vector<MassBlock<3>> mass(2);
  mass[0].inverse_mass = 0;
  mass[1].inverse_mass = 0.5;
  mass[1].inverse_inertia = SpinMat<3>{{2, 0.3, 0}, {0.3, 1, 0.1}, {0, 0.1, 3}};
  ContactRow<3> contact;
  contact.a = 0;
  contact.b = 1;
  contact.frame.setIdentity();
  contact.arm_a = Vec<3>(0.1, 0.2, 0.3);
  contact.arm_b = Vec<3>(-0.4, 0.5, 0.1);
  std::vector<LinearRow<3>> rows;
  for (int k = 0; k < 3; ++k) rows.push_back(component_row<3>(contact, k));
  const Eigen::MatrixXd W = delassus(kinetic_gradients<3>(rows, mass).rows);
  CHECK((W - diagonal_block<3>(contact, mass)).norm() < 1e-14);
}

TEST_CASE("kinetic angles of a rocking block depend on its slenderness alone") {
  // Two contacts at (±L/2, −l/2) of a homogeneous block: G₁₂ = (1/m − L²/(4I)) / (1/m + L²/(4I)).
  const double L = 2, l = 1, m = 3, I = m * (L * L + l * l) / 12;
  std::vector<MassBlock<2>> mass(2);
  mass[1].inverse_mass = 1 / m;
  mass[1].inverse_inertia(0, 0) = 1 / I;
  std::vector<LinearRow<2>> rows;
  for (const double side : {-1.0, 1.0}) {
    ContactRow<2> contact;
    contact.a = 0;
    contact.b = 1;
    contact.frame = Mat<2>{{0, -1}, {1, 0}};
    contact.arm_a = Vec<2>(side, 0);
    contact.arm_b = Vec<2>(side * L / 2, -l / 2);
    rows.push_back(component_row<2>(contact, 0));
  }
  const Eigen::MatrixXd gradients(kinetic_gradients<2>(rows, mass).rows);
  const Eigen::MatrixXd G = normalised_delassus(kinetic_gradients<2>(rows, mass).rows);
  const double expected = (1 / m - L * L / (4 * I)) / (1 / m + L * L / (4 * I));
  CHECK(G(0, 1) == doctest::Approx(expected).epsilon(1e-14));
  // The angle of the wedge that the two constraints leave, from the components along y and θ.
  const Eigen::RowVectorXd a = gradients.row(0), b = gradients.row(1);
  const double between = std::atan2(std::abs(a[1] * b[2] - a[2] * b[1]), a.dot(b));
  CHECK(kinetic_angle(G(0, 1)) == doctest::Approx(std::numbers::pi - between).epsilon(1e-14));
  CHECK(kinetic_angle(-0.5) == doctest::Approx(std::numbers::pi / 3).epsilon(1e-14));  // balls
}
