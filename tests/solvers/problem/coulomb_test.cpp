// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/coulomb.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

using namespace talus;

namespace {

template <int D>
struct Block {
  Mat<D> W;
  Vec<D> q;
  double mu;
};

template <int D>
Mat<D> random_turn(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Mat<D> A;
  for (double& entry : A.reshaped()) entry = normal(random);
  return A.householderQr().householderQ();
}

// A positive definite block of condition up to 10^log_condition in the directions Q, friction from
// 0 to 1000.
template <int D>
Block<D> random_block(std::mt19937_64& random, const Mat<D>& Q, double log_condition) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Vec<D> spectrum;
  for (int i = 0; i < D; ++i) spectrum[i] = std::exp2(-3.3219 * log_condition * uniform(random));
  Block<D> block;
  block.W = Q * spectrum.asDiagonal() * Q.transpose();
  block.W = (0.5 * (block.W + block.W.transpose())).eval();
  for (int i = 0; i < D; ++i) block.q[i] = 2 * uniform(random) - 1;
  block.mu = uniform(random) < 0.1 ? 0 : std::exp2(20 * uniform(random) - 10);
  return block;
}

template <int D>
Block<D> random_block(std::mt19937_64& random, double log_condition) {
  return random_block<D>(random, random_turn<D>(random), log_condition);
}

template <int D>
double relative_residual(const Block<D>& block, const Vec<D>& p) {
  const double r = D / (2 * block.W.trace());
  const Vec<D> u = block.W * p + block.q;
  const double scale = block.q.norm() + block.W.norm() * p.norm();
  return Coulomb<D>{block.mu}.residual(u, p, r) / scale;
}

struct Plane {
  static constexpr int value = 2;
};
struct Solid {
  static constexpr int value = 3;
};

}  // namespace

TEST_CASE_TEMPLATE("the local solve obeys Coulomb's law on any positive definite block", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  constexpr int turns = D == 2 ? 10'000 : 100'000, blocks_per_turn = 100;
  std::mt19937_64 random(7);
  double worst = 0;
  bool finite = true;
  int several = 0;  // blocks that may have more than one answer: μ‖w‖ > W_N
  for (int k = 0; k < turns; ++k) {
    const Mat<D> Q = random_turn<D>(random);
    for (int j = 0; j < blocks_per_turn; ++j) {
      const Block<D> block = random_block<D>(random, Q, j % 2 == 0 ? 3 : 14);
      const Vec<D> p = Coulomb<D>{block.mu}.solve(block.W, block.q);
      finite = finite && p.allFinite();
      worst = std::max(worst, relative_residual<D>(block, p));
      several += block.mu * block.W.col(0).template tail<D - 1>().norm() > block.W(0, 0);
    }
  }
  CHECK(finite);
  CHECK(worst < 1e-10);
  CHECK(several > turns * blocks_per_turn / 10);
}

TEST_CASE("in the plane the answer is one of take-off, stick, slide left, slide right") {
  std::mt19937_64 random(11);
  for (int k = 0; k < 20000; ++k) {
    const Block<2> block = random_block<2>(random, 2);
    const Vec<2> p = Coulomb<2>{block.mu}.solve(block.W, block.q);
    const Mat<2>& W = block.W;
    const Vec<2>& q = block.q;
    std::vector<Vec<2>> answers;
    if (q[0] >= 0) answers.push_back(Vec<2>::Zero());
    const Vec<2> stick = -W.inverse() * q;
    if (std::abs(stick[1]) <= block.mu * stick[0]) answers.push_back(stick);
    for (const double side : {-1.0, 1.0}) {
      const double p_N = -q[0] / (W(0, 0) + side * block.mu * W(0, 1));
      const Vec<2> slide(p_N, side * block.mu * p_N);
      if (p_N >= 0 && side * (W * slide + q)[1] <= 0) answers.push_back(slide);
    }
    REQUIRE(!answers.empty());
    double nearest = 1e300;
    for (const Vec<2>& answer : answers) nearest = std::min(nearest, (p - answer).norm());
    CHECK(nearest <= 1e-10 * (1 + p.norm()));
  }
}

TEST_CASE("turning the tangents turns the percussion, and units do not matter") {
  std::mt19937_64 random(13);
  for (int k = 0; k < 2000; ++k) {
    const Block<3> block = random_block<3>(random, 2);
    const Coulomb<3> law{block.mu};
    const Vec<3> p = law.solve(block.W, block.q);
    Mat<3> turn = Mat<3>::Identity();
    turn.block<2, 2>(1, 1) = Eigen::Rotation2Dd(0.1 + k).toRotationMatrix();
    const Vec<3> turned = law.solve(turn.transpose() * block.W * turn, turn.transpose() * block.q);
    CHECK((turn * turned - p).norm() <= 1e-9 * (1 + p.norm()));
    for (const double scale : {1e-9, 1e9}) {
      const Vec<3> scaled = law.solve(scale * block.W, block.q);
      CHECK((scale * scaled - p).norm() <= 1e-9 * (1 + p.norm()));
      const Vec<3> faster = law.solve(block.W, scale * block.q);
      CHECK((faster / scale - p).norm() <= 1e-9 * (1 + p.norm()));
    }
  }
}

TEST_CASE("projection gives the nearest point of the cone") {
  const Coulomb<3> law{0.5};
  CHECK(law.project({1, 0.3, 0.4}) == Vec<3>(1, 0.3, 0.4));
  CHECK(law.project({-1, 0.1, 0}) == Vec<3>::Zero());
  const Vec<3> p = law.project({0, 3, 4});
  CHECK(p[0] == doctest::Approx(2.0));
  CHECK(p.tail<2>().norm() == doctest::Approx(1.0));
}

TEST_CASE("a frictionless contact that opens obeys the law without percussion") {
  CHECK(Coulomb<2>{0}.project({-1, 0}) == Vec<2>::Zero());
  CHECK(Coulomb<3>{0}.project({-1, 0, 0}) == Vec<3>::Zero());
  CHECK(Coulomb<2>{0}.residual({0.5, 0}, Vec<2>::Zero(), 2) == 0);
}

// p is on the boundary of K or in it, and −(û + μ‖û_T‖ n) in its normal cone: the condition of the
// header, without the projection.
template <int D>
double off_law(const Coulomb<D>& law, const Vec<D>& u, const Vec<D>& p) {
  const double slip = u.template tail<D - 1>().norm(), shear = p.template tail<D - 1>().norm();
  const double bound = law.bound(p[0]);
  double off = std::max({0.0, -p[0], shear - bound, -u[0], std::min(p[0], u[0])});
  // Where it slides the tangential percussion is at its bound, against the velocity.
  return std::max(off, std::min(slip, (p.template tail<D - 1>() +
                                       bound * u.template tail<D - 1>() / std::max(slip, 1e-300))
                                          .norm()));
}

TEST_CASE_TEMPLATE("with cohesion the local solve obeys the law of the cone that is cut off", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  double worst = 0, worst_residual = 0, worst_projection = 0;
  int opening = 0, held = 0, sliding = 0, sticking = 0;
  for (int k = 0; k < 40000; ++k) {
    const Block<D> block = random_block<D>(random, 2);
    const Coulomb<D> law{std::min(block.mu, 2.0), std::exp2(8 * uniform(random) - 6)};
    const Vec<D> p = law.solve(block.W, block.q);
    const Vec<D> u = block.W * p + block.q;
    worst = std::max(worst, off_law<D>(law, u, p) / (1 + p.norm()));
    worst_residual =
        std::max(worst_residual, law.residual(u, p, D / (2 * block.W.trace())) / (1 + p.norm()));
    const double slip = u.template tail<D - 1>().norm();
    opening += u[0] > 1e-9 && slip > 1e-9;
    held += u[0] > 1e-9 && slip <= 1e-9;
    sliding += u[0] <= 1e-9 && slip > 1e-9;
    sticking += u.norm() <= 1e-9;
    // The nearest point: no other point of the cone is nearer, along any direction in it.
    const Vec<D> z = 3 * block.q, nearest = law.project(z);
    CHECK(nearest[0] >= 0);
    CHECK(nearest.template tail<D - 1>().norm() <= law.bound(nearest[0]) * (1 + 1e-14));
    for (int j = 0; j < 4; ++j) {
      Vec<D> other = nearest + 0.1 * random_block<D>(random, 1).q;
      other[0] = std::max(other[0], 0.0);
      if (const double t = other.template tail<D - 1>().norm(); t > law.bound(other[0]))
        other.template tail<D - 1>() *= law.bound(other[0]) / t;
      worst_projection = std::max(worst_projection, (z - nearest).dot(other - nearest));
    }
  }
  CHECK(worst < 1e-9);
  CHECK(worst_residual < 1e-9);
  CHECK(worst_projection < 1e-12);
  for (const int count : {opening, held, sliding, sticking}) CHECK(count > 400);
}
