// SPDX-License-Identifier: Apache-2.0
// The law of rolling and spinning friction at one contact, against slow ways to the same answer.
#include "solvers/problem/rolling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

// W of two random rigid bodies that meet at random arms, in units of length that suit them, and a
// closing velocity. One block in seven or so lacks one of the frictions.
template <int D>
struct RandomBlock {
  WrenchMat<D> W = WrenchMat<D>::Zero();
  Wrench<D> q;
  RollingCoulomb<D> law;
};

template <int D>
RandomBlock<D> random_block(std::mt19937_64& random, int number) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr int dof = wrench_dim<D>;
  RandomBlock<D> block;
  for (int body = 0; body < 2; ++body) {
    Vec<D> arm;
    for (int i = 0; i < D; ++i) arm[i] = normal(random);
    const double inverse_mass = std::exp(normal(random));
    SpinMat<D> A;
    for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
    Matrix<dof, dof> H = Matrix<dof, dof>::Identity(), inverse = Matrix<dof, dof>::Zero();
    for (int j = 0; j < spin_dim<D>; ++j)
      H.template block<D, 1>(0, D + j) = cross<D>(Spin<D>::Unit(j), arm);
    inverse.template topLeftCorner<D, D>() = inverse_mass * Mat<D>::Identity();
    inverse.template bottomRightCorner<spin_dim<D>, spin_dim<D>>() =
        inverse_mass * (A * A.transpose() + 0.3 * SpinMat<D>::Identity());
    block.W += H * inverse * H.transpose();
  }
  for (int i = 0; i < dof; ++i) block.q[i] = normal(random);
  block.q[0] = -std::abs(block.q[0]);
  if (number % 97 == 0) block.q[0] = -block.q[0];
  block.law.mu = number % 13 == 0 ? 0 : 0.1 + 0.9 * uniform(random);
  block.law.rolling = number % 11 == 0 ? 0 : 0.3 * uniform(random) * uniform(random);
  if (D == 3) block.law.spinning = number % 7 == 0 ? 0 : 0.3 * uniform(random) * uniform(random);
  return block;
}

// First component, number of components and coefficient of the discs.
struct Part {
  int first, count;
  double coefficient;

  template <int D>
  Vec<2> of(const Wrench<D>& x) const {
    return {x[first], count == 2 ? x[first + 1] : 0.0};
  }
};
template <int D>
std::vector<Part> parts_of(const RollingCoulomb<D>& law) {
  if constexpr (D == 2) {
    return {{1, 1, law.mu}, {2, 1, law.rolling}};
  } else {
    return {{1, 2, law.mu}, {3, 1, law.spinning}, {4, 2, law.rolling}};
  }
}

// How far the law is from holding, said in words instead of cones: û_N ≥ 0 ⟂ x_N ≥ 0, and every
// part is in its disc, at its bound and against its velocity unless that is zero. Velocities in
// units of q, percussions times tr W.
template <int D>
double broken(const RandomBlock<D>& block, const Wrench<D>& x) {
  const Wrench<D> y = block.W * x + block.q;
  const double scale = block.q.norm(), weight = block.W.trace();
  double worst = std::max(-x[0] * weight, -y[0]) / scale;
  worst = std::max(worst, std::min(x[0] * weight, std::abs(y[0])) / scale);
  for (const Part& part : parts_of(block.law)) {
    const double bound = part.coefficient * std::max(x[0], 0.0);
    const Vec<2> own = part.of<D>(x), velocity = part.of<D>(y);
    worst = std::max(worst, (own.norm() - bound) * weight / scale);
    const double v = velocity.norm();
    if (v == 0) continue;
    // Either it sticks, or the impulse is −bound v/‖v‖.
    worst = std::max(worst, std::min(v, (own + bound * velocity / v).norm() * weight) / scale);
  }
  return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("a million random blocks obey the law of rolling friction", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(20);
  const int count = D == 2 ? 700'000 : 300'000;
  double worst = 0, residual = 0;
  int open = 0;
  for (int k = 0; k < count; ++k) {
    const RandomBlock<D> block = random_block<D>(random, k);
    const Wrench<D> x = block.law.solve(block.W, block.q);
    open += x[0] == 0;
    worst = std::max(worst, broken<D>(block, x));
    const double r = wrench_dim<D> / (2 * block.W.trace());
    const Wrench<D> y = block.W * x + block.q;
    residual = std::max(residual, std::sqrt(block.law.residual_squared(y, x, r)) / block.q.norm());
  }
  MESSAGE(count, " blocks: law ", worst, ", residual ", residual, ", open ", open);
  // Where a part hardly slides, by 1e-8, rounding leaves its direction to as much.
  CHECK(worst <= 1e-8);
  CHECK(residual <= 1e-12);
  CHECK(open > count / 200);
  CHECK(open < count / 50);
}

// With p_N uncoupled the rest is convex and has one answer, which small steps of steepest descent
// within the discs come to.
TEST_CASE_TEMPLATE("the local answer is that of projected descent", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(21);
  double worst = 0;
  for (int k = 1; k < 1500; ++k) {
    RandomBlock<D> block = random_block<D>(random, k);
    block.W.row(0).tail(wrench_dim<D> - 1).setZero();
    block.W.col(0).tail(wrench_dim<D> - 1).setZero();
    block.q[0] = -std::abs(block.q[0]);
    Wrench<D> slow = Wrench<D>::Zero();
    slow[0] = -block.q[0] / block.W(0, 0);
    const double step = 1 / block.W.trace();
    for (int i = 0; i < 3000; ++i) {
      Wrench<D> next = slow - step * (block.W * slow + block.q);
      next[0] = slow[0];
      for (const Part& part : parts_of(block.law)) {
        const double bound = part.coefficient * slow[0], length = part.of<D>(next).norm();
        for (int c = part.first; length > bound && c < part.first + part.count; ++c)
          next[c] *= bound / length;
      }
      slow = next;
    }
    const Wrench<D> x = block.law.solve(block.W, block.q);
    worst = std::max(worst, (x - slow).norm() / slow.norm());
  }
  CHECK(worst <= 1e-6);  // what the descent leaves where W is nearly singular
}

TEST_CASE_TEMPLATE("the nearest point of the cone is nearer than any other", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(22);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2000; ++k) {
    const RollingCoulomb<D> law = random_block<D>(random, k).law;
    Wrench<D> z;
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = 2 * normal(random);
    const Wrench<D> nearest = law.project(z);
    CHECK((law.project(nearest) - nearest).norm() <= 1e-14 * (1 + z.norm()));
    // (z − nearest) is normal to the cone: at right angles to nearest, and against all of it.
    CHECK(std::abs((z - nearest).dot(nearest)) <= 1e-13 * z.squaredNorm());
    for (int i = 0; i < 20; ++i) {
      Wrench<D> other;
      for (Eigen::Index j = 0; j < other.size(); ++j) other[j] = normal(random);
      other[0] = std::abs(other[0]);
      law.put_inside(other);
      CHECK((z - nearest).dot(other) <= 1e-13 * z.norm() * other.norm());
    }
  }
}
