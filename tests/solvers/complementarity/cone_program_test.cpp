// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/cone_program.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace talus;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number() { return std::normal_distribution<double>()(engine_); }
  MatrixXd matrix(Eigen::Index n, Eigen::Index m) {
    return MatrixXd::NullaryExpr(n, m, [&] { return number(); });
  }

 private:
  std::mt19937 engine_;
};

constexpr int in_space = 3;

// x on the boundary of its cones and s on the opposite boundary, or one of them inside and the
// other zero: a pair that is complementary by construction.
void complementary_pair(Random& random, const std::vector<int>& cones, VectorXd& x, VectorXd& s) {
  Eigen::Index first = 0;
  for (const int size : cones) {
    const double kind = std::abs(random.number());
    VectorXd d = VectorXd::Zero(size), opposite = d;
    d[0] = opposite[0] = 1;
    if (size > 1) {
      const VectorXd t = random.matrix(size - 1, 1).normalized();
      d.tail(size - 1) = t;
      opposite.tail(size - 1) = -t;
    }
    const bool only_x = kind < 0.4 || (size == 1 && kind < 0.7),
               only_s = !only_x && (kind < 0.8 || size == 1);
    if (only_x) d.tail(size - 1) *= 0.5;
    if (only_s) opposite.tail(size - 1) *= 0.5;
    x.segment(first, size) = only_s ? VectorXd::Zero(size) : VectorXd((0.5 + kind) * d);
    s.segment(first, size) = only_x ? VectorXd::Zero(size) : VectorXd((0.5 + kind) * opposite);
    first += size;
  }
}

struct Drawn {
  ConeProgram program;
  VectorXd x, s;
  double value = 0;
};

// A programme with a known answer: x and s complementary, v and y at will.
Drawn draw(unsigned seed) {
  Random random(seed);
  Drawn drawn;
  ConeProgram& program = drawn.program;
  Eigen::Index length = 0;
  for (int i = 0; i < 12; ++i) {
    program.cones.push_back(i % 3 == 0 ? 1 : in_space);
    length += program.cones.back();
  }
  constexpr Eigen::Index equations = 10, free = 3;
  drawn.x.resize(length);
  drawn.s.resize(length);
  complementary_pair(random, program.cones, drawn.x, drawn.s);
  const MatrixXd E = random.matrix(equations, length), F = random.matrix(equations, free);
  const VectorXd v = random.matrix(equations, 1), y = random.matrix(free, 1);
  program.E = E.sparseView();
  program.F = F.sparseView();
  program.load = E * drawn.x + F * y;
  program.cost = drawn.s + E.transpose() * v;
  program.price = F.transpose() * v;
  drawn.value = program.load.dot(v);
  return drawn;
}

bool in_cones(const VectorXd& x, const std::vector<int>& cones, double tolerance) {
  Eigen::Index first = 0;
  bool inside = true;
  for (const int size : cones) {
    inside = inside && x.segment(first + 1, size - 1).norm() <= x[first] + tolerance;
    first += size;
  }
  return inside;
}

}  // namespace

TEST_CASE("programmes with known answers are solved, and both values agree") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const Drawn drawn = draw(seed);
    const ConeProgram& program = drawn.program;
    const ConeSolution found = solve_cone_program<in_space>(program);
    REQUIRE(found.verdict == ConeVerdict::solved);
    const double size = 1 + std::abs(drawn.value);
    CHECK(std::abs(found.primal - drawn.value) < 1e-8 * size);
    CHECK(std::abs(found.dual - drawn.value) < 1e-8 * size);
    CHECK((program.E * found.x + program.F * found.y - program.load).norm() <
          1e-8 * (1 + program.load.norm()));
    CHECK((found.s - program.cost + program.E.transpose() * found.v).norm() <
          1e-8 * (1 + program.cost.norm()));
    CHECK(in_cones(found.x, program.cones, 0));
    CHECK(in_cones(found.s, program.cones, 0));
  }
}

TEST_CASE("a programme without a solution ends with the proof") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    ConeProgram program = draw(seed).program;
    // A row whose forces all push one way, and a load that pulls: E₀ x with x in the cones is ≥ 0.
    MatrixXd E = program.E;
    MatrixXd F = program.F;
    E.row(0).setZero();
    Eigen::Index first = 0;
    for (const int size : program.cones) {
      E(0, first) = 1 + std::abs(random.number());
      if (size > 1) E(0, first + 1) = 0.9;
      first += size;
    }
    F.row(0).setZero();
    program.E = E.sparseView();
    program.F = F.sparseView();
    program.load[0] = -1;
    const ConeSolution found = solve_cone_program<in_space>(program);
    REQUIRE(found.verdict == ConeVerdict::infeasible);
    CHECK(program.load.dot(found.v) > 0.5);
    CHECK(in_cones(-(program.E.transpose() * found.v), program.cones, 1e-6));
    CHECK((program.F.transpose() * found.v).norm() < 1e-6);
  }
}

TEST_CASE("a programme with better and better solutions ends with the direction") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Drawn drawn = draw(seed);
    ConeProgram& program = drawn.program;
    // Forces d inside the cones that balance by themselves, and cost less than nothing.
    VectorXd d = VectorXd::Zero(drawn.x.size());
    Eigen::Index first = 0;
    for (const int size : program.cones) {
      d[first] = 1;
      first += size;
    }
    const MatrixXd E = MatrixXd(program.E);
    program.E = (E - E * d * d.transpose() / d.squaredNorm()).sparseView();
    program.load = program.E * drawn.x + program.F * VectorXd::Ones(program.F.cols());
    program.cost -= (program.cost.dot(d) + 1) / d.squaredNorm() * d;
    const ConeSolution found = solve_cone_program<in_space>(program);
    REQUIRE(found.verdict == ConeVerdict::unbounded);
    CHECK(program.cost.dot(found.x) + program.price.dot(found.y) < -0.5);
    CHECK((program.E * found.x + program.F * found.y).norm() < 1e-6);
    CHECK(in_cones(found.x, program.cones, 0));
  }
}
