// Quaternions against Eigen's.
#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "engine/space.hpp"
#include "solvers/eigen_view.hpp"

using namespace talus;

namespace {

constexpr int trials = 1000;

struct Random {
  std::mt19937 bits{1};

  double number() { return std::normal_distribution<double>()(bits); }
  Vec<3> vec() { return {number(), number(), number()}; }
  Quaternion quaternion() { return {number(), vec()}; }
};

Eigen::Quaterniond oracle(const Quaternion& q) { return {q.w, q.vec[0], q.vec[1], q.vec[2]}; }

double difference(const Quaternion& p, const Eigen::Quaterniond& q) {
  return (oracle(p).coeffs() - q.coeffs()).norm();
}

// Of two rotations: a quaternion and its opposite are one.
double turn_between(const Quaternion& p, const Eigen::Quaterniond& q) {
  return std::min(difference(p, q), difference({-p.w, -p.vec}, q));
}

}  // namespace

TEST_CASE("quaternions multiply and have lengths as Eigen's") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Quaternion p = random.quaternion(), q = random.quaternion();
    const Eigen::Quaterniond a = oracle(p), b = oracle(q);
    CHECK(difference(p * q, a * b) <= 1e-14 * p.norm() * q.norm());
    CHECK(difference(p.conjugate(), a.conjugate()) == 0);
    CHECK(std::abs(p.norm() - a.norm()) <= 1e-15 * a.norm());
    CHECK(difference(p.normalized(), a.normalized()) <= 1e-15);
  }
}

TEST_CASE("a unit quaternion turns vectors as Eigen's does, and so does its matrix") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Quaternion q = random.quaternion().normalized();
    const Vec<3> v = random.vec();
    CHECK((eigen(q * v) - oracle(q) * eigen(v)).norm() <= 1e-14 * v.norm());
    CHECK((q.matrix() * v - q * v).norm() <= 1e-14 * v.norm());
    CHECK((eigen(q.matrix()) - oracle(q).toRotationMatrix()).norm() <= 1e-14);
  }
}

TEST_CASE("one turn after another is the turn of their product") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Quaternion p = random.quaternion().normalized(), q = random.quaternion().normalized();
    const Vec<3> v = random.vec();
    CHECK((p * q * v - p * (q * v)).norm() <= 1e-14 * v.norm());
    CHECK((q.conjugate() * (q * v) - v).norm() <= 1e-14 * v.norm());
  }
}

TEST_CASE("a rotation matrix gives its quaternion back, as Eigen's") {
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Quaternion q = random.quaternion().normalized();
    const Mat<3> R = q.matrix();
    CHECK(turn_between(quaternion(R), oracle(q)) <= 1e-14);
    CHECK(turn_between(quaternion(R), Eigen::Quaterniond(eigen(R))) <= 1e-14);
  }
  CHECK(quaternion(Mat<3>::Identity()) == Quaternion{});
}

TEST_CASE("half turns, of which the real part vanishes, lose nothing") {
  for (int axis = 0; axis < 3; ++axis) {
    const Vec<3> n = Vec<3>::Unit(axis);
    const Mat<3> R = 2 * (n * n.transpose()) - Mat<3>::Identity();
    CHECK(quaternion(R) == Quaternion{0, n});
    CHECK(difference(quaternion(R), Eigen::Quaterniond(eigen(R))) == 0);
    for (const double rest : {1e-3, 1e-8, 1e-12, -1e-12, -1e-8, -1e-3}) {
      const Quaternion q{std::sin(rest), std::cos(rest) * n};
      CHECK(turn_between(quaternion(q.matrix()), oracle(q)) <= 1e-15);
    }
  }
  Random random;
  for (int k = 0; k < trials; ++k) {
    const Quaternion q{0, random.vec().normalized()};
    CHECK(turn_between(quaternion(q.matrix()), oracle(q)) <= 1e-14);
  }
}
