// SPDX-License-Identifier: Apache-2.0
// Small impacts for the tests of the laws.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "solvers/impact/impact_problem.hpp"

namespace talus {

// Balls in a row along the first axis, neighbours touching; masses and speeds one per ball, the
// coefficients of contact i being those between balls i and i + 1.
template <int D>
ImpactProblem<D> ball_chain(const std::vector<double>& masses, const std::vector<double>& speeds,
                            const std::vector<ImpactCoefficients>& coefficients) {
  constexpr double radius = 0.1;
  ImpactProblem<D> impact;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double inertia = 0.4 * masses[i] * radius * radius;
    impact.bodies.push_back({1 / masses[i], SpinMat<D>::Identity() / inertia});
    impact.v_minus.push_back({speeds[i] * Vec<D>::Unit(0), Spin<D>::Zero()});
  }
  for (int i = 0; i + 1 < static_cast<int>(masses.size()); ++i) {
    ContactRow<D> row;
    row.a = i;
    row.b = i + 1;
    row.frame = Mat<D>::Identity();
    row.arm_a = radius * Vec<D>::Unit(0);
    row.arm_b = -radius * Vec<D>::Unit(0);
    impact.contacts.push_back(row);
  }
  impact.coefficients = coefficients;
  return impact;
}

template <int D>
ImpactProblem<D> ball_chain(const std::vector<double>& masses, const std::vector<double>& speeds,
                            const ImpactCoefficients& all) {
  return ball_chain<D>(masses, speeds, std::vector<ImpactCoefficients>(masses.size() - 1, all));
}

// The first ball strikes the others, which are at rest.
template <int D>
ImpactProblem<D> struck_chain(int balls, const ImpactCoefficients& all) {
  std::vector<double> speeds(at(balls), 0.0);
  speeds[0] = 1;
  return ball_chain<D>(std::vector<double>(at(balls), 1.0), speeds, all);
}

// One body meets a wall below it, the point of contact at `arm` from its centre; the first axis is
// tangential.
template <int D>
ImpactProblem<D> body_on_wall(const MassBlock<D>& body, const Vec<D>& arm, const Twist<D>& v,
                              const ImpactCoefficients& coefficients) {
  ImpactProblem<D> impact;
  impact.bodies = {{}, body};
  impact.v_minus = {{}, v};
  ContactRow<D> row;
  row.a = 0;
  row.b = 1;
  row.frame.setZero();
  row.frame(D - 1, 0) = 1;
  for (int k = 1; k < D; ++k) row.frame(k - 1, k) = 1;
  row.arm_a.setZero();
  row.arm_b = arm;
  impact.contacts = {row};
  impact.coefficients = {coefficients};
  return impact;
}

// VALIDATION A10: a sphere falls on a plane at 0.2 m/s, spinning, with μ = 0.4 and restitution 0.5;
// its normal and tangential motion do not mix, so that every law with Coulomb's friction is rigid
// sliding theory.
struct SpinningBall {
  double spin, v_after, spin_after;  // [rad/s], [m/s], [rad/s]
};
inline constexpr SpinningBall spinning_balls[] = {
    {10, 0.12, 7.0}, {20, 0.12, 17.0}, {2, 0.4 / 7, 4.0 / 7}};

template <int D>
ImpactProblem<D> spinning_ball_on_wall(const SpinningBall& ball) {
  constexpr double r = 0.1, mass = 2, inertia = 0.4 * mass * r * r;
  Twist<D> v;
  v.v[D - 1] = -0.2;
  // about the axis that carries the first axis away from the last, so that friction pushes along
  v.omega[D == 2 ? 0 : 1] = D == 2 ? -ball.spin : ball.spin;
  return body_on_wall<D>({1 / mass, SpinMat<D>::Identity() / inertia}, -r * Vec<D>::Unit(D - 1), v,
                         {.friction = 0.4, .restitution = 0.5});
}

template <int D>
double kinetic_energy(const ImpactProblem<D>& impact, std::span<const Twist<D>> v) {
  double energy = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (impact.bodies[i].inverse_mass > 0)
      energy += 0.5 * v[i].v.squaredNorm() / impact.bodies[i].inverse_mass;
    if (!impact.bodies[i].inverse_inertia.isZero(0))
      energy +=
          0.5 * v[i].omega.dot(SpinMat<D>(impact.bodies[i].inverse_inertia.inverse()) * v[i].omega);
  }
  return energy;
}

// Bodies of random mass that touch the world and each other at random points, from random sides,
// with random velocities; every body touches something. Coefficients are left to the caller.
inline ImpactProblem<2> random_impact(std::mt19937& random, int bodies, int contacts) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  ImpactProblem<2> impact;
  impact.bodies = {{}};
  impact.v_minus = {{}};
  for (int i = 0; i < bodies; ++i) {
    impact.bodies.push_back({1.5 + uniform(random), SpinMat<2>::Constant(5 + 4 * uniform(random))});
    Twist<2> v;
    v.v = {uniform(random), uniform(random)};
    v.omega[0] = 2 * uniform(random);
    impact.v_minus.push_back(v);
  }
  for (int k = 0; k < contacts; ++k) {
    ContactRow<2> row;
    row.b = 1 + k % bodies;
    row.a = static_cast<int>((uniform(random) + 1) * 0.5 * (bodies + 0.99));
    if (row.a == row.b) row.a = 0;
    const double angle = 3.1 * uniform(random);
    row.frame << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    const auto arm = [&] { return Vec<2>(uniform(random), uniform(random)); };
    row.arm_a = row.a == 0 ? Vec<2>(Vec<2>::Zero()) : arm();
    row.arm_b = arm();
    impact.contacts.push_back(row);
  }
  impact.coefficients.resize(at(contacts));
  return impact;
}

// Velocities along the first axis.
template <int D>
std::vector<double> speeds_of(std::span<const Twist<D>> v) {
  std::vector<double> speeds;
  for (const Twist<D>& twist : v) speeds.push_back(twist.v[0]);
  return speeds;
}

}  // namespace talus
